import Testing
import Tidemark

@testable import TidemarkCLI

@Suite struct `The progress bar` {
    @Test(arguments: [
        (0, 0, "notes"), (500, 0, "notes"), (0, 4, "[........................] notes"),
        (1, 4, "[######..................] notes"), (4, 4, "[########################] notes"),
        (9, 4, "[########################] notes"),
    ])
    func `The bar is empty at the start, full at the end, and absent without a total`(
        _ done: Int, _ total: Int, _ line: String
    ) {
        #expect(ProgressBar.line(done, of: total == 0 ? nil : total, "notes") == line)
        #expect(total != 0 || ProgressBar.line(done, of: 0, "notes") == line)
    }

    @Test(arguments: [(nil, nil), (6, 12), (0, 6)])
    func `A sync has no bar while the number of remaining rows is unknown`(_ left: Int?, _ total: Int?) {
        let part = SyncStatus.CollectionProgress(collection: "notes", received: 4, left: left, sent: 1, isOver: false)
        #expect(TidemarkCLI.SyncProgressBar.total(of: part, toSend: 2) == total)
    }

    @Test func `The bar is cut to the width of the terminal`() throws {
        let shop = try Workshop()
        let name = String(repeating: "漢", count: 30)
        try shop.write("[\((0..<1_200).map { "{\"id\":\($0)}" }.joined(separator: ","))]", to: name)
        let words = ["import", "--store", "a.db", "notes", name, "--pk", "id"]
        let run = try PseudoTerminal(words, in: shop.folder, columns: 46).finish()
        let drawn = run.errors.split(separator: "\r\u{1B}[K").dropLast()
        #expect(!drawn.isEmpty)
        for line in drawn { #expect(TerminalText(String(line)).width < 46, "\(line)") }
    }

    @Test func `The bar of a sync is not full before a record was sent`() throws {
        let shop = try Workshop()
        let server = try shop.serve()
        try shop.device("a.db", server)
        try shop.done("create", "--store", "a.db", "notes", "1", "{}")
        let first = try PseudoTerminal(["sync", "--store", "a.db"], in: shop.folder).finish()
        #expect(
            first.errors.hasPrefix("\r\u{1B}[Knotes: sent 0 of 1"),
            "\(first.errors)")
        #expect(first.errors.contains("[########################] notes: sent 1 of 1"), "\(first.errors)")
        #expect(!first.errors.contains("received 0 of 0"), "\(first.errors)")
        let second = try PseudoTerminal(["sync", "--store", "a.db"], in: shop.folder).finish()
        #expect(second.errors.hasPrefix("\r\u{1B}[Knotes: received 0"), "\(second.errors)")
        #expect(!second.errors.contains("#"))
    }
}

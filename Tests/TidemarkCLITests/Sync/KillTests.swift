import Foundation
import Testing

/// kill -9 of the client or the server at any moment (I10): after the next sync nothing is lost and nothing is there twice.
@Suite struct `A process that is killed in the middle of a sync` {
    static let count = 400

    /// Milliseconds after the start of the sync; the machine decides what has happened by then, and any moment is legal.
    static let moments = [15, 40, 75, 120, 180, 300]

    private static let records = (0..<Self.count).map { #"{"id":\#($0 + 1_000),"n":\#($0).50}"# }

    private static func prepare(_ shop: Workshop) throws {
        try shop.done("import", "--store", "a.db", "notes", "-", "--pk", "id", input: records.joined(separator: "\n"))
    }

    /// What a device shows: the data of its records, and nothing that is not in step.
    private static func contents(_ shop: Workshop, _ store: String) throws -> [String] {
        let lines = try shop.run("list", "--store", store, "notes").lines
        return lines.map { $0.replacingOccurrences(of: "\tSYNCD\t", with: " ") }
    }

    private static let expected = Self.records.enumerated().map { "\($0.offset + 1_000) \($0.element)" }

    @Test(arguments: Self.moments)
    func `as the client goes on where it was`(_ milliseconds: Int) throws {
        let shop = try Workshop()
        try Self.prepare(shop)
        let server = try shop.serve("--page", "50")
        try shop.device("a.db", server)
        try shop.device("b.db", server)
        // While sending, and the second device while receiving.
        for store in ["a.db", "b.db"] {
            try shop.start(["sync", "--store", store, "notes"]).kill(after: milliseconds)
            try shop.done("sync", "--store", store, "notes")
            #expect(try Self.contents(shop, store) == Self.expected)
        }
    }

    @Test(arguments: Self.moments)
    func `as the server has what it said it has, and takes the rest once`(_ milliseconds: Int) throws {
        let shop = try Workshop()
        try Self.prepare(shop)
        let server = try shop.serve("--page", "50")
        try shop.device("a.db", server)
        let sync = try shop.start(["sync", "--store", "a.db", "notes"])
        server.tool.kill(after: milliseconds)
        _ = try sync.finish()
        let again = try ToolServer(
            try shop.start(["serve", "--store", "server.db", "--listen", server.address, "--page", "50"]))
        try shop.done("sync", "--store", "a.db", "notes")
        try shop.device("b.db", again)
        try shop.done("sync", "--store", "b.db", "notes")
        #expect(try Self.contents(shop, "a.db") == Self.expected)
        #expect(try Self.contents(shop, "b.db") == Self.expected)
    }
}

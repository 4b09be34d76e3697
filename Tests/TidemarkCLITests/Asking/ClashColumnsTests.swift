import Testing
import Tidemark

@testable import TidemarkCLI

@Suite struct `The columns of a clash` {
    private func lines(_ base: JSON?, _ server: JSON?, _ client: JSON?, width: Int) -> [String] {
        let clash = JSONMerge.Clash(path: .root, base: base, server: server, client: client, winner: .undecided)
        return ClashColumns(clash, width: width).lines
    }

    @Test func `The values stay side by side, fitted to the terminal`() {
        #expect(
            self.lines("Milk", nil, "Oat milk, one litre", width: 36) == [
                "base       | server     | client",
                "-----------+------------+-----------",
                "\"Milk\"     | (nothing)  | \"Oat milk,",
                "           |            |  one litre",
                "           |            | \"",
            ])
    }

    @Test(arguments: [30, 31, 32, 80, 200])
    func `No line is wider than the terminal`(_ width: Int) {
        let long = JSON.string(JSONString(String(repeating: "牛乳 milk ", count: 40)))
        for line in self.lines(long, long, 1, width: width) { #expect(TerminalText(line).width <= width, "\(line)") }
    }

    @Test func `A value that is too long ends in dots`() {
        let lines = self.lines(1, .string(JSONString(String(repeating: "x", count: 9_000))), 2, width: 80)
        #expect(lines.count == 14)
        #expect(lines.last?.contains("…") == true)
    }

    @Test func `Characters that could move the cursor or reverse text are escaped`() {
        let text = TerminalText("a\u{9B}2J\u{7F}\u{202E}b\u{1B}👩‍💻é").text
        #expect(text == "a\\u009b2J\\u007f\\u202eb\\u001b👩‍💻é")
    }

    @Test(arguments: [("s", Choice.server), (" Keep  both ", .keepBoth), ("k", .keepBoth), ("", .next)])
    func `The user answers by a letter or in full`(_ typed: String, _ choice: Choice) {
        #expect(Choice(typed: typed, among: Choice.allCases) == choice)
    }

    @Test(arguments: ["x", "servers", "a", ""])
    func `An answer that is not offered is rejected`(_ typed: String) {
        #expect(Choice(typed: typed, among: [.server, .client, .quit]) == nil)
    }
}

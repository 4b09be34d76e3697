import TestSupport
import Testing
import Tidemark

@Suite struct `The pictures of the documentation` {
    private static let names = ["life-of-an-edit", "merge", "speed"]

    private static func text(of name: String) throws -> String {
        try Checkout.text(of: "Sources/Tidemark/Tidemark.docc/\(name).svg")
    }

    @Test(arguments: names)
    func `pictures have a description, load nothing, and have colors for light and dark pages`(name: String) throws {
        let text = try Self.text(of: name)
        #expect(text.contains("<title id=\"title\">") && text.contains("<desc id=\"desc\">"))
        #expect(text.matches(of: /https?:[^"]*/).map { String($0.0) } == ["http://www.w3.org/2000/svg"])
        #expect(!text.contains("@import") && !text.contains("@font-face") && !text.contains("href"))
        #expect(text.contains("prefers-color-scheme:dark"))
    }

    @Test func `the picture of a merge shows the merge that the client performs (R13)`() throws {
        let rows = try Self.text(of: "merge").matches(of: /<text class="c"[^>]*>([\[{&].*)<\/text>/)
            .map { String($0.1).replacing("&#160;", with: "") }
        try #require(rows.count == 5)
        let base = try JSON(parsing: rows[0])
        let client = try JSONPatch(parsing: rows[1] + rows[2]).apply(to: base)
        let merge = JSONMerge.merge(base: base, server: try JSON(parsing: rows[3]), client: client)
        let merged = try merge.patch.apply(to: try JSON(parsing: rows[3]))
        #expect(merged?.text == rows[4])
        #expect(merge.clashes.map(\.path.description) == ["/price"])
        #expect(merge.clashes.first?.server?.text == "1.30")
    }
}

import TestSupport
import Testing
import Tidemark

@Suite struct `The pictures of the documentation` {
    private static let names = ["demo", "life-of-an-edit", "merge", "speed"]

    private static func text(of name: String) throws -> String {
        try Checkout.text(of: "Sources/Tidemark/Tidemark.docc/\(name).svg")
    }

    @Test(arguments: names)
    func `pictures have a description, load nothing, and have colors for light and dark pages`(name: String) throws {
        let text = try Self.text(of: name)
        #expect(text.contains("<title id=\"title\">") && text.contains("<desc id=\"desc\">"))
        // An address that a picture shows is not loaded.
        let loaded = text.replacing(/<text.*<\/text>/, with: "")
        #expect(loaded.matches(of: /https?:[^"]*/).map { String($0.0) } == ["http://www.w3.org/2000/svg"])
        for part in ["@import", "@font-face", "href", "<script"] { #expect(!text.contains(part), "\(part)") }
        #expect(text.contains("prefers-color-scheme:dark"))
    }

    @Test func `the picture of the demo moves by styles alone, and stands still on request`() throws {
        let text = try Self.text(of: "demo")
        #expect(text.contains("@media (prefers-reduced-motion:reduce){.lines,.curtain{animation:none}}"))
        #expect(!text.contains("<animate") && !text.contains("<set"))
        #expect(text.utf8.count < 60_000)
    }

    @Test func `the picture of a merge shows the merge that the client performs (R13)`() throws {
        let boxes = try Self.text(of: "merge").matches(of: /<g class=[^>]*>\n((?:<[rt].*\n)+)<\/g>/).map { box in
            String(box.1).matches(of: /<text class="c"[^>]*>(.*)<\/text>/).map { String($0.1) }
        }
        try #require(boxes.map(\.count) == [3, 2, 2, 3, 0])
        let base = try Self.record(boxes[0])
        let server = try Self.edited(base, boxes[2])
        let merge = JSONMerge.merge(base: base, server: server, client: try Self.edited(base, boxes[1]))
        let merged = try merge.patch.apply(to: server)
        #expect(merged?.text == (try Self.record(boxes[3]).text))
        #expect(merge.clashes.map(\.path.description) == ["/price"])
        #expect(merge.clashes.first?.server?.text == "1.30")
    }

    /// A record whose members are the rows.
    private static func record(_ rows: [String]) throws -> JSON {
        try JSON(parsing: "{\(rows.map { $0.replacing("\": ", with: "\":") }.joined(separator: ","))}")
    }

    /// A record with the changes that the rows name: `price = 1.20`.
    private static func edited(_ base: JSON, _ rows: [String]) throws -> JSON {
        var record = base
        for row in rows {
            let parts = row.split(separator: " = ").map(String.init)
            record[pointer: try JSONPointer(parsing: "/\(parts[0])")] = try JSON(parsing: parts[1])
        }
        return record
    }
}

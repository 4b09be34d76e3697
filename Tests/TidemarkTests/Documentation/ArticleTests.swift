import Testing

@Suite struct `The articles` {
    /// The tests that an article shows are run: a file of this folder has the same text.
    @Test(arguments: ["DecidingConflicts", "TestingAnApp"])
    func `the articles show only tests that run`(_ name: String) throws {
        let page = MarkdownPage(try Checkout.text(of: "Sources/Tidemark/Tidemark.docc/\(name).md"))
        let tests = try Checkout.text(of: "Tests/TidemarkTests/Documentation/\(name)Tests.swift")
        let shown = page.blocks("swift").map(Self.withoutImports).filter { $0.contains("@Test func") }
        #expect(!shown.isEmpty)
        for block in shown where !block.contains("Conformance") {
            #expect(tests.contains(block), "\(name).md has an example that is not in \(name)Tests.swift: \(block)")
        }
    }

    private static func withoutImports(_ block: String) -> String {
        block.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0.hasPrefix("import ") || $0.isEmpty }
            .joined(separator: "\n")
    }
}

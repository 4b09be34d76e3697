import Foundation
import Testing
import Tidemark
import TidemarkMachine

@Suite struct `The README` {
    let page: MarkdownPage

    init() throws {
        self.page = MarkdownPage(try Checkout.text(of: "README.md"))
    }

    /// The first example needs SwiftUI's names: `make docs` compiles it, with the examples of the articles.
    @Test func `the README has only Swift that is compiled`() throws {
        let files = try [
            "Examples/two-devices/main.swift", "Tests/TidemarkTests/Readme/LowerPriceWins.swift",
            "Tests/TidemarkTests/Readme/Longest.swift", "Tests/TidemarkTests/Readme/TransitionTests.swift",
        ].map(Checkout.text)
        #expect(Array(self.page.blocks("swift").dropFirst()) == files)
        #expect(self.page.blocks("swift").first?.contains("import SwiftUI") == true)
    }

    @Test func `the README's program prints the shown output`() throws {
        let run = try ProgramRun(try Checkout.product("two-devices"))
        #expect(run.status == 0)
        #expect(self.page.blocks("text").last == run.output)
    }

    @Test func `the README shows a part of the demo's output`() throws {
        let run = try ProgramRun(try Checkout.product("tidemark"), ["demo"])
        let shown = try #require(self.page.blocks("text").first)
        #expect(run.output.contains(shown), "The demo printed \(run.output)")
    }

    @Test func `the README names make demo and make test`() throws {
        let text = try Checkout.text(of: "README.md")
        #expect(text.contains("make demo") && text.contains("make test"))
    }

    @Test func `the README has no broken link`() throws {
        let text = try Checkout.text(of: "README.md")
        for match in text.matches(of: /\]\(([^)#:]+)\)/) {
            let path = Checkout.url(String(match.1)).path
            #expect(FileManager.default.fileExists(atPath: path), "\(match.1)")
        }
    }
}

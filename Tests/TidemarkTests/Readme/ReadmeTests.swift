import Foundation
import Testing
import Tidemark
import TidemarkMachine

@Suite struct `The README` {
    let page: MarkdownPage

    init() throws {
        self.page = MarkdownPage(try Checkout.text(of: "README.md"))
    }

    @Test func `has only Swift that is compiled here`() throws {
        let files = try [
            "Examples/two-devices/main.swift", "Tests/TidemarkTests/Readme/LowerPriceWins.swift",
            "Tests/TidemarkTests/Readme/Longest.swift", "Tests/TidemarkTests/Readme/TransitionTests.swift",
        ].map(Checkout.text)
        #expect(self.page.blocks("swift") == files)
    }

    @Test func `has a program that prints what it says`() throws {
        let run = try ProgramRun(try Checkout.product("two-devices"))
        #expect(run.status == 0)
        #expect(self.page.blocks("text").first == run.output)
    }

    @Test func `shows the overview that the tables draw`() {
        #expect(
            self.page.part("overview")?.trimmingCharacters(in: .newlines)
                == StateDiagrams.overview.trimmingCharacters(in: .newlines))
    }

    @Test func `names the two commands to begin with`() throws {
        let text = try Checkout.text(of: "README.md")
        #expect(text.contains("make demo") && text.contains("make test"))
    }

    @Test func `has only links that lead somewhere`() throws {
        let text = try Checkout.text(of: "README.md")
        for match in text.matches(of: /\]\(([^)#:]+)\)/) {
            let path = Checkout.url(String(match.1)).path
            #expect(FileManager.default.fileExists(atPath: path), "\(match.1)")
        }
    }
}

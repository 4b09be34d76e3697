import Foundation
import TestSupport
import Testing

@Suite struct `The links of the Markdown pages` {
    private let script = Checkout.url("scripts/links")

    @Test func `each link leads to a file and a heading`() throws {
        let run = try ProgramRun(self.script)
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(arguments: [
        ("[B](B.md)", "there is no file"), ("[B](#b)", "has no heading with the anchor #b"),
        ("[B](../B.md)", "the link leaves the package"), ("<doc:A>", "a Git host does not follow it"),
    ])
    func `a broken link is reported with place and reason`(_ link: String, _ reason: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("# A\n\nSee \(link) and [A](#a).\n", to: "A.md")
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 1)
        #expect(run.output.contains("A.md:3: ") && run.output.contains(reason), "\(run.output)")
    }

    @Test func `links are converted to the form and the heading names of DocC`() throws {
        let folder = try TemporaryFolder()
        let run = try ProgramRun(self.script, ["--for-docc", folder.url.appendingPathComponent("copy").path])
        #expect(run.status == 0, "\(run.output)")
        let page = folder.url.appendingPathComponent("copy/GettingStarted.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        #expect(text.contains("](<doc:") && !text.contains(".md)"))
    }
}

import Foundation
import TestSupport
import Testing

@Suite struct `The contract` {
    private let script = Checkout.url("scripts/contract")

    @Test func `has a heading for every rule that is cited, and a test for every promise`() throws {
        let run = try ProgramRun(self.script)
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(arguments: [("SPEC §", "3.9"), ("R", "29"), ("W", "12")])
    func `is missed by a comment that cites what it does not have`(_ kind: String, _ number: String) throws {
        let folder = try self.copy()
        try folder.write("/// As it must be (\(kind)\(number)).\n", to: "Sources/A.swift")
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 1)
        #expect(run.output.contains("has no heading in"), "\(run.output)")
    }

    @Test func `is not kept by a test that has another name now`() throws {
        let folder = try self.copy()
        let name = "`I8 progress that goes round is seen`"
        try folder.write("@Test func \(name)() {}\n", to: "Tests/ATests.swift")
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 1)
        #expect(run.output.contains("a test that is not there: `I8 progress that goes round is found`"))
    }

    /// A package that has the contract and nothing else.
    private func copy() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("\n", to: "Tests/BTests.swift")
        for page in ["Contract.md", "Promises.md"] {
            let path = "Sources/Tidemark/Tidemark.docc/\(page)"
            try folder.write(try Checkout.text(of: path), to: path)
        }
        return folder
    }
}

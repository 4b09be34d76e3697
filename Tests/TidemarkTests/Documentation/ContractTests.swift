import Foundation
import TestSupport
import Testing

@Suite struct `The contract` {
    private let script = Checkout.url("scripts/contract")

    @Test func `the contract has a heading for every cited rule, and each guarantee has a test`() throws {
        let run = try ProgramRun(self.script)
        #expect(run.status == 0, "\(run.output)")
    }

    @Test(arguments: [("Contract §", "3.9"), ("R", "39"), ("W", "12")])
    func `a comment that cites a missing rule is reported`(_ kind: String, _ number: String) throws {
        let folder = try self.copy()
        try folder.write("/// As it must be (\(kind)\(number)).\n", to: "Sources/A.swift")
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 1)
        #expect(run.output.contains("has no heading in"), "\(run.output)")
    }

    @Test func `a guarantee whose test was renamed is reported`() throws {
        let folder = try self.copy()
        let name = "`I8 progress that goes round is seen`"
        try folder.write("@Test func \(name)() {}\n", to: "Tests/ATests.swift")
        let run = try ProgramRun(self.script, [folder.url.path])
        #expect(run.status == 1)
        #expect(run.output.contains("a test that is not there: `an exploration finds progress in a cycle (I8)`"))
    }

    /// A package that has only the contract.
    private func copy() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("\n", to: "Tests/BTests.swift")
        for page in ["Contract.md", "Guarantees.md"] {
            let path = "Sources/Tidemark/Tidemark.docc/\(page)"
            try folder.write(try Checkout.text(of: path), to: path)
        }
        return folder
    }
}

import Foundation
import Testing

@Suite struct `The demo` {
    @Test func `the demo ends with all three in sync, and fits a terminal of 80 columns`() throws {
        let run = try ProgramRun(try Checkout.product("tidemark"), ["demo"])
        #expect(run.status == 0)
        #expect(run.output.hasSuffix("Both devices and the server agree.\n"), "\(run.output)")
        #expect(run.output.split(separator: "\n").filter { $0.count > 80 } == [])
    }

    @Test func `the demo fails if its output can't be written`() throws {
        let tool = try Checkout.product("tidemark")
        let run = try ProgramRun(
            URL(fileURLWithPath: "/bin/sh"), ["-c", "\"$0\" demo 2>&1 >/dev/full; echo $?", tool.path])
        #expect(run.output.contains("can't write the result"), "\(run.output)")
        #expect(run.output.hasSuffix("\n1\n"), "\(run.output)")
    }
}

import Foundation
import Testing

@Suite struct `The demo` {
    @Test func `ends well, with all three in step, and fits a terminal of 80 columns`() throws {
        let run = try ProgramRun(try Checkout.product("tidemark"), ["demo"])
        #expect(run.status == 0)
        #expect(run.output.hasSuffix("Both devices and the server agree.\n"), "\(run.output)")
        #expect(run.output.split(separator: "\n").filter { $0.count > 80 } == [])
    }
}

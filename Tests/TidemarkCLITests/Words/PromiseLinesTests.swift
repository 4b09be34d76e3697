import Testing
import Tidemark

@testable import TidemarkCLI

@Suite struct `What init and status say of promises` {
    @Test func `over a Tidemark server nothing`() {
        #expect(RemoteCapabilities.native.promises.lines == [])
    }

    @Test func `what is not plainly kept, in their order, each with its reason`() {
        var capabilities = RemoteCapabilities.native
        capabilities.condition = .none
        capabilities.repetition = .recognised
        capabilities.feed = .late(.seconds(5))
        let lines = capabilities.promises.lines
        #expect(lines.map { $0.prefix { $0 != " " } } == ["I1", "I3", "I6", "I9", "I11"])
        #expect(lines[0] == "I1 is not kept: the server checks no version: whoever writes last overwrites the others")
        #expect(lines[1].hasPrefix("I3 is kept within 5 seconds: "))
    }
}

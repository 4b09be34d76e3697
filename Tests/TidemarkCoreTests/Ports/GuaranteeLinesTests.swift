import TidemarkCore
import Testing

@Suite struct `The guarantees of a server as lines` {
    @Test func `A Tidemark server has no lines`() {
        #expect(RemoteCapabilities.native.guarantees.lines == [])
    }

    @Test func `Limited and missing guarantees are listed in order, with their reasons`() {
        var capabilities = RemoteCapabilities.native
        capabilities.condition = .none
        capabilities.repetition = .recognized
        capabilities.feed = .late(.seconds(5))
        capabilities.tombstones = .kept(.seconds(30 * 86_400), isSignalled: false)
        let lines = capabilities.guarantees.lines
        #expect(lines.map { $0.prefix { $0 != " " } } == ["I1", "I3", "I6", "I9", "I11"])
        #expect(lines[0] == "I1 is not kept: the server checks no version: the last write overwrites the others")
        #expect(lines[1].hasPrefix("I3 is kept within 30 days: "))
        #expect(lines[2].hasPrefix("I6 is kept within 5 seconds: "))
    }
}

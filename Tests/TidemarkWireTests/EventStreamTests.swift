import Testing
import TidemarkCore
import TidemarkWire

/// Server-sent events as in the HTML Living Standard (§9.2), with any input.
@Suite struct EventStreamTests {
    private static let sample =
        "\u{FEFF}: hello\r\nevent: changed\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n"
        + "retry: 10\nid: 7\nnothing\nunknown: x\ndata\n\nevent: empty\n\ndata:  two blanks\rdata\r\r: bye\n"

    private static let items: [EventStream.Item] = [
        .comment, .event("changed", Array("{\"a\":\n1}".utf8)), .event("message", []),
        .event("message", Array(" two blanks\n".utf8)), .comment,
    ]

    private func items(of pieces: [some Sequence<UInt8>]) throws -> [EventStream.Item] {
        var stream = EventStream()
        var items: [EventStream.Item] = []
        for piece in pieces { try stream.take(piece) { items.append($0) } }
        return items
    }

    @Test func `an event stream is read as the standard describes`() throws {
        #expect(try self.items(of: [Array(Self.sample.utf8)]) == Self.items)
    }

    @Test func `an event stream is read the same in pieces of any size`() throws {
        let bytes = Array(Self.sample.utf8)
        for cut in bytes.indices {
            #expect(try self.items(of: [bytes[..<cut], bytes[cut...]]) == Self.items, "cut at \(cut)")
        }
        #expect(try self.items(of: bytes.map { [$0] }) == Self.items)
    }

    @Test(arguments: ["\n", "\r", "\r\n"])
    func `all three line ends are accepted`(end: String) throws {
        let text = ["event: a", "data: 1", "", ":", "data: 2", "", ""].joined(separator: end)
        #expect(
            try self.items(of: [text.utf8]) == [
                .event("a", Array("1".utf8)), .comment, .event("message", Array("2".utf8)),
            ])
    }

    @Test func `an incomplete event is not reported`() throws {
        for text in ["data: 1\n", "data: 1", ": comm", "event: x\n\n", "\n\n\n", ""] {
            #expect(try self.items(of: [text.utf8]) == [], "\(text)")
        }
    }

    @Test func `a byte order mark is skipped at the beginning only`() throws {
        #expect(try self.items(of: [[0xEF, 0xBB, 0xBF], Array("data: 1\n\n".utf8)]).count == 1)
        #expect(try self.items(of: ["\n\u{FEFF}data: 1\n\n".utf8]) == [])
    }

    @Test func `a line and an event over the limit are refused, in pieces of any size`() throws {
        var limits = EventStream.Limits()
        (limits.line, limits.event) = (10, 16)
        var stream = EventStream(limits)
        try stream.take(": 3456789\n".utf8) { _ in }
        #expect(throws: EventStream.TooLong.self) { for _ in 0..<11 { try stream.take(":".utf8) { _ in } } }
        var other = EventStream(limits)
        #expect(throws: EventStream.TooLong.self) {
            for _ in 0..<6 { try other.take("data:123\n".utf8) { _ in } }
        }
    }

    @Test func `bytes that are not UTF-8 are read unchanged`() throws {
        let bytes: [UInt8] = Array("event: \u{FFFD}\ndata: ".utf8) + [0xFF, 0x00, 0xC3] + Array("\n\n".utf8)
        #expect(try self.items(of: [bytes]) == [.event("\u{FFFD}", [0xFF, 0x00, 0xC3])])
    }
}

@Suite struct `An answer to the request for change notifications` {
    @Test(arguments: [404, 405, 406])
    func `a server without change notifications is no reason to check the URL`(status: Int) throws {
        let end = try WireHints.end(status: status, header: { _ in nil }, body: [])
        guard case .unavailable(why: let why) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(why == "The server has no change notifications: it answered with status \(status).")
    }
}

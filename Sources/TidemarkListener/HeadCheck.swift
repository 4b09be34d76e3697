import TidemarkServer

/// What is refused of the head of a request: what is too large, and what two readers could understand in two ways
/// (RFC 9112).
///
/// Behind a proxy that reads it the other way, the end of one client's request would be the beginning of another's.
/// libmicrohttpd's own strictness is not turned on: it would answer some of this with a page of its own, close on some of
/// it without a word, and let most of it pass.
enum HeadCheck {
    /// How large a target may be. That of a client has a collection, a `pk` and a watermark, each escaped, in it.
    static let mostTarget = 16 << 10

    /// How large a head may be.
    static let mostHead = 64 << 10

    /// Fields of which one request has one at most.
    private static let single = ["content-length", "transfer-encoding", "host", "authorization"]

    /// How the head is refused; nil where it is good.
    static func problem(target: String, head: RequestHead) -> Problem? {
        guard target.utf8.count <= Self.mostTarget else {
            return Problem(
                414, .targetTooLong, "the target has \(target.utf8.count) bytes; \(Self.mostTarget) are allowed")
        }
        guard head.size <= Self.mostHead else {
            return Problem(
                431, .headTooLarge,
                "the fields before the body have \(head.size) bytes with the first line; \(Self.mostHead) are allowed")
        }
        guard let fault = Self.fault(target: target, head: head) else { return nil }
        return Problem(400, .malformedHead, "\(fault); correct the request")
    }

    /// Why the head is not understood; nil where it is.
    private static func fault(target: String, head: RequestHead) -> String? {
        guard head.isWhole else {
            return "the head has a NUL, a blank too many in its first line, or a line that goes on in the next one"
        }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return "the target has a blank or a control character in it; write it percent-encoded"
        }
        for (name, value) in head.headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
                return "a field has the name “\(name)”, which is none"
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "the field “\(name)” has a control character in it"
            }
        }
        for name in Self.single where head.count(of: name) > 1 {
            return "the field “\(name)” is there more than once"
        }
        return Self.faultOfLength(head) ?? Self.faultOfHost(head)
    }

    /// RFC 9112 §3.2.
    private static func faultOfHost(_ head: RequestHead) -> String? {
        // Where the version is not at hand, the field may be left out.
        guard !["", "HTTP/1.0"].contains(head.version), head.count(of: "host") == 0 else { return nil }
        return "the field “Host” is missing"
    }

    /// RFC 9112 §6.1 to §6.3.
    private static func faultOfLength(_ head: RequestHead) -> String? {
        let length = head.value(of: "content-length")
        let coding = head.value(of: "transfer-encoding")
        if let length, length.isEmpty || !length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return "“Content-Length” is not a number"
        }
        // The library takes it for a part of the value.
        for name in ["Content-Length", "Transfer-Encoding"] where head.endsInBlank(name) {
            return "“\(name)” has a blank behind its value"
        }
        guard let coding else { return nil }
        guard length == nil else { return "“Content-Length” and “Transfer-Encoding” are both there" }
        guard head.version != "HTTP/1.0" else { return "HTTP/1.0 knows no “Transfer-Encoding”" }
        guard coding.lowercased() == "chunked" else {
            return "the transfer encoding “\(coding)” is not understood; it must be chunked"
        }
        return nil
    }

    /// RFC 9110 §5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

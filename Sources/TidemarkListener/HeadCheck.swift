import TidemarkServer

/// Refuses the head of a request if it is too large, or if two readers could parse it differently (RFC 9112).
///
/// If a proxy parses it differently, the end of one client's request becomes the beginning of another's. libmicrohttpd refuses
/// some of these itself, with its own page, and accepts most of them.
enum HeadCheck {
    /// The largest target, in bytes. A client's target contains a collection, a `pk` and a cursor, each escaped.
    static let mostTarget = 16 << 10

    /// The largest head, in bytes.
    static let mostHead = 64 << 10

    /// Fields that may occur only once in a request.
    private static let single = ["content-length", "transfer-encoding", "host", "authorization"]

    /// The refusal of the head; nil if it is valid.
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

    /// Why the head is malformed; nil if it is not.
    private static func fault(target: String, head: RequestHead) -> String? {
        guard head.isWhole else {
            return "the head has a NUL, a blank too many in its first line, or a line that continues on the next one"
        }
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            return "the target has a blank or a control character in it; write it percent-encoded"
        }
        for (name, value) in head.headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
                return "a field has the name “\(name)”, which is not a valid one"
            }
            guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                return "the field “\(name)” has a control character in it"
            }
        }
        for name in Self.single where head.count(of: name) > 1 {
            return "the field “\(name)” occurs more than once"
        }
        return Self.faultOfLength(head) ?? Self.faultOfHost(head)
    }

    /// RFC 9112 §3.2.
    private static func faultOfHost(_ head: RequestHead) -> String? {
        guard head.version != "HTTP/1.0", head.count(of: "host") == 0 else { return nil }
        return "the field “Host” is missing"
    }

    /// RFC 9112 §6.1 to §6.3.
    private static func faultOfLength(_ head: RequestHead) -> String? {
        let length = head.value(of: "content-length")
        let coding = head.value(of: "transfer-encoding")
        if let length, length.isEmpty || !length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return "“Content-Length” is not a number"
        }
        // The library includes it in the value.
        for name in ["Content-Length", "Transfer-Encoding"] where head.endsInBlank(name) {
            return "“\(name)” has a space or a tab after its value"
        }
        guard let coding else { return nil }
        guard length == nil else { return "“Content-Length” and “Transfer-Encoding” are both present" }
        guard head.version != "HTTP/1.0" else { return "HTTP/1.0 does not have “Transfer-Encoding”" }
        guard coding.lowercased() == "chunked" else {
            return "the transfer encoding “\(coding)” is not supported; it must be chunked"
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

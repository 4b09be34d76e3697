/// A request of HTTP/1.1, as ``LoopbackResponder`` reads it: GET or POST with one head and at most one body.
///
/// The parser is strict. What it does not know it refuses, so that no other program reads the bytes in another way.
package struct LoopbackRequest: Hashable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var method: Method

    /// The path of the target, without its query: `/api/data`.
    package var path: String

    /// The parameters of the query, decoded; the first of a name counts.
    package var query: [String: String] = [:]

    /// The header fields, by their names in lower case. Each name occurs once.
    package var headers: [String: String] = [:]

    package var body: [UInt8] = []

    package init(method: Method, path: String) {
        self.method = method
        self.path = path
    }

    /// The size of the largest head, in bytes.
    package static let headLimit = 8 << 10

    /// The size of the largest body, in bytes.
    package static let bodyLimit = 1 << 20

    /// Why bytes are no request that is answered: a status of HTTP.
    package enum Refusal: Int, Error, Sendable {
        case badRequest = 400
        case methodNotAllowed = 405
        case contentTooLarge = 413
        case headTooLarge = 431
        case notImplemented = 501
        case versionNotSupported = 505
    }

    /// Reads the start of a connection's bytes.
    ///
    /// - Returns: Nil if more bytes are needed.
    /// - Throws: ``Refusal`` if they can't become a request.
    package static func read(_ bytes: [UInt8]) throws(Refusal) -> LoopbackRequest? {
        guard let end = Self.endOfHead(bytes) else {
            guard bytes.count <= Self.headLimit else { throw .headTooLarge }
            return nil
        }
        guard end <= Self.headLimit else { throw .headTooLarge }
        let lines = try Self.lines(bytes[..<(end - 4)])
        var request = try Self.requestLine(lines[0])
        for line in lines.dropFirst() { try request.add(field: line) }
        let count = try request.bodyCount
        guard bytes.count - end <= count else { throw .badRequest }
        guard bytes.count - end == count else { return nil }
        request.body = Array(bytes[end...])
        return request
    }

    /// The place behind the empty line that ends a head; nil if it is not there yet.
    static func endOfHead(_ bytes: [UInt8]) -> Int? {
        var index = 3
        while index < min(bytes.count, Self.headLimit + 4) {
            if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 {
                return index + 1
            }
            index += 1
        }
        return nil
    }

    /// The lines of a head, of visible ASCII characters, spaces and tabs; each ends with CR and LF.
    private static func lines(_ head: ArraySlice<UInt8>) throws(Refusal) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        var start = head.startIndex
        var index = head.startIndex
        while index < head.endIndex {
            let byte = head[index]
            if byte == 13 {
                guard index + 1 < head.endIndex, head[index + 1] == 10 else { throw .badRequest }
                lines.append(head[start..<index])
                start = index + 2
                index += 2
                continue
            }
            guard byte == 9 || 32...126 ~= byte else { throw .badRequest }
            index += 1
        }
        lines.append(head[start...])
        return lines
    }

    private static func requestLine(_ line: ArraySlice<UInt8>) throws(Refusal) -> LoopbackRequest {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3 else { throw .badRequest }
        guard words[2].elementsEqual("HTTP/1.1".utf8) else {
            throw words[2].starts(with: "HTTP/".utf8) ? .versionNotSupported : .badRequest
        }
        // Neither `http://host/path` nor `*`: a target of a server, not of a proxy.
        guard words[1].first == UInt8(ascii: "/"), !words[1].starts(with: "//".utf8),
            !words[1].contains(UInt8(ascii: "#"))
        else { throw .badRequest }
        let parts = words[1].split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let method = Method(rawValue: String(decoding: words[0], as: UTF8.self)) else { throw .methodNotAllowed }
        var request = LoopbackRequest(method: method, path: String(decoding: parts[0], as: UTF8.self))
        guard parts.count == 2 else { return request }
        for pair in parts[1].split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decoded(sides[0])
            guard request.query[name] == nil else { continue }
            request.query[name] = try sides.count == 2 ? Self.decoded(sides[1]) : ""
        }
        return request
    }

    private static func decoded(_ text: ArraySlice<UInt8>) throws(Refusal) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit)
                else { throw .badRequest }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .badRequest }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private mutating func add(field line: ArraySlice<UInt8>) throws(Refusal) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else { throw .badRequest }
        let name = line[..<colon]
        guard name.allSatisfy(Self.isOfToken) else { throw .badRequest }
        let key = String(decoding: name.map { 65...90 ~= $0 ? $0 + 32 : $0 }, as: UTF8.self)
        let isSpace = { (byte: UInt8) in byte == 32 || byte == 9 }
        let value = line[(colon + 1)...].drop(while: isSpace)
        let end = value.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? value.startIndex
        // A second Host or Content-Length is read in two ways by two programs.
        guard self.headers[key] == nil else { throw .badRequest }
        self.headers[key] = String(decoding: value[value.startIndex..<end], as: UTF8.self)
    }

    /// Letters, digits, and the signs of a token (RFC 9110, §5.6.2).
    private static func isOfToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    private var bodyCount: Int {
        get throws(Refusal) {
            guard self.headers["transfer-encoding"] == nil, self.headers["expect"] == nil else { throw .notImplemented }
            guard let text = self.headers["content-length"] else { return 0 }
            guard 1...9 ~= text.utf8.count, text.utf8.allSatisfy({ 48...57 ~= $0 }), let count = Int(text) else {
                throw .badRequest
            }
            guard count <= Self.bodyLimit else { throw .contentTooLarge }
            guard count == 0 || self.method == .post else { throw .badRequest }
            return count
        }
    }
}

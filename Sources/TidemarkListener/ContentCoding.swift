import TidemarkGzip
import TidemarkServer

/// Compression of bodies in both directions (RFC 9110 §8.4, §12.5.3); gzip is the only supported coding.
enum ContentCoding {
    /// The decoded body, never larger than `limit`.
    static func unpack(_ body: [UInt8], coding: String?, limit: Int) throws(Problem) -> [UInt8] {
        switch coding?.lowercased() {
        case nil, "", "identity":
            return body
        case "gzip", "x-gzip":
            do throws(GzipError) {
                return try Gzip.decompress(body, limit: limit)
            } catch {
                guard error.code != .tooLarge else { throw .bodyTooLarge(limit: limit) }
                throw Problem(400, .malformedBody, "the body can't be decompressed: \(error)")
            }
        case let other?:
            throw Problem(
                415, .unsupportedEncoding, "the encoding “\(other)” is not supported; send gzip, or plain JSON")
        }
    }

    /// Whether the client accepts a compressed answer, and the answer is large enough.
    static func isToBePacked(_ response: inout ServerResponse, for request: ServerRequest, from size: Int) -> Bool {
        guard response.body.count >= size else { return false }
        response.headers.append(("Vary", "Accept-Encoding"))
        return Self.acceptsGzip(request.header("Accept-Encoding"))
    }

    /// The answer, compressed.
    static func packed(_ plain: ServerResponse) -> ServerResponse {
        var response = plain
        // Compression is optional: if it fails, the plain body is sent.
        guard let packed = GzipPacker.pack(response.body) else { return plain }
        response.headers.append(("Content-Encoding", "gzip"))
        response.body = packed
        return response
    }

    /// Whether a field like `br, gzip;q=0.8` accepts gzip; an explicit name takes precedence over `*`.
    static func acceptsGzip(_ field: String?) -> Bool {
        let choices = (field ?? "").lowercased().utf8.split(separator: UInt8(ascii: ",")).map { Self.choice($0) }
        let named = choices.first { $0.coding == "gzip" || $0.coding == "x-gzip" }
        let any = choices.first { $0.coding == "*" }
        return (named ?? any)?.isWanted ?? false
    }

    private static func choice(_ text: Substring.UTF8View) -> (coding: String, isWanted: Bool) {
        let parts = text.split(separator: UInt8(ascii: ";")).map { part in
            String(decoding: part.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }, as: UTF8.self)
        }
        let weight = parts.dropFirst().first { $0.utf8.starts(with: "q=".utf8) }
            .map { Double(Substring($0.utf8.dropFirst(2))) ?? 0 }
        return (parts.first ?? "", (weight ?? 1) > 0)
    }
}

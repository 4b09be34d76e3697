import TidemarkJSON
import TidemarkJSONStream

/// The result of a reader over a text.
struct StreamResult {
    var elements: [JSONStreamElement] = []
    var error: JSONError?
    var warnings: [JSON.Warning] = []

    var texts: [String] { self.elements.map { String(decoding: $0.text, as: UTF8.self) } }

    /// Reads a text in chunks of one size.
    init(
        _ bytes: [UInt8], _ content: JSONStreamContent = .automatic, chunk: Int = .max, limits: JSON.Limits = .default
    ) {
        let reader = JSONStreamReader(content, limits: limits)
        do throws(JSONError) {
            for start in stride(from: 0, to: bytes.count, by: chunk == .max ? max(1, bytes.count) : chunk) {
                reader.feed(bytes[start..<min(bytes.count, chunk == .max ? bytes.count : start + chunk)])
                try self.take(reader)
            }
            reader.finish()
            try self.take(reader)
        } catch {
            self.error = error
        }
        self.warnings = reader.warnings
    }

    init(
        _ text: String, _ content: JSONStreamContent = .automatic, chunk: Int = .max, limits: JSON.Limits = .default
    ) {
        self.init(Array(text.utf8), content, chunk: chunk, limits: limits)
    }

    private mutating func take(_ reader: JSONStreamReader) throws(JSONError) {
        while let element = try reader.next() { self.elements.append(element) }
    }
}

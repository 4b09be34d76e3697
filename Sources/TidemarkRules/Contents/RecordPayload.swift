import Synchronization
package import TidemarkJSON

/// The JSON text of a whole record: an object. It is kept as bytes until the value is needed (I4, Contract §9), and parsed once.
///
/// Two payloads are equal when their bytes are. Equality by value is ``JSONChanges/change(from:to:)``.
package struct RecordPayload: Sendable {
    private let known: Known

    /// The text and the value, as far as they are known. Copies of a payload share them.
    private final class Known: Sendable {
        struct Parts: Sendable {
            var bytes: [UInt8]?
            var json: JSON?
        }

        let parts: Mutex<Parts>

        init(_ bytes: [UInt8]?, _ json: JSON?) {
            self.parts = Mutex(Parts(bytes: bytes, json: json))
        }
    }

    /// Wraps a text that is known to be a JSON object.
    package init(bytes: [UInt8]) {
        self.known = Known(bytes, nil)
    }

    /// Wraps a value; its text is written when it is first needed.
    package init(_ json: JSON) {
        self.known = Known(nil, json)
    }

    /// The text.
    package var bytes: [UInt8] {
        self.known.parts.withLock { parts in
            if let bytes = parts.bytes { return bytes }
            let bytes = parts.json?.bytes ?? []
            parts.bytes = bytes
            return bytes
        }
    }

    /// The value. A text that came from a disk can be damaged.
    package func json() throws(TidemarkError) -> JSON {
        let (bytes, known) = self.known.parts.withLock { ($0.bytes ?? [], $0.json) }
        if let known { return known }
        let json = try Self.json(bytes)
        self.known.parts.withLock { $0.json = json }
        return json
    }

    /// Parses a text from a disk.
    package static func json(_ bytes: [UInt8]) throws(TidemarkError) -> JSON {
        do {
            return try JSON(parsing: bytes)
        } catch {
            throw .damaged("its content is not JSON", error)
        }
    }
}

extension RecordPayload: Hashable {
    /// Whether both are the same text.
    package static func == (left: RecordPayload, right: RecordPayload) -> Bool { left.bytes == right.bytes }

    /// Feeds the text.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(self.bytes)
    }
}

extension RecordPayload: CustomStringConvertible {
    /// The text.
    package var description: String { String(decoding: self.bytes, as: UTF8.self) }
}

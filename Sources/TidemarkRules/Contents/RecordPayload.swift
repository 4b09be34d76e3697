import Synchronization
public import TidemarkJSON

/// The JSON text of a whole record: an object, kept as bytes until someone looks inside (I4, SPEC §9), and looked into once.
///
/// Two payloads are equal when their bytes are. Equality by value is ``JSONChanges/change(from:to:)``.
public struct RecordPayload: Sendable {
    /// The text.
    public let bytes: [UInt8]

    private let value: Value

    /// The value of the text, once someone has asked for it. Copies of a payload share it.
    private final class Value: Sendable {
        let known: Mutex<JSON?>

        init(_ json: JSON?) {
            self.known = Mutex(json)
        }
    }

    /// Wraps a text that is known to be a JSON object.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
        self.value = Value(nil)
    }

    /// Writes a value as text.
    public init(_ json: JSON) {
        self.bytes = json.bytes
        self.value = Value(json)
    }

    /// The value. A text that came from a disk can be damaged.
    public func json() throws(TidemarkError) -> JSON {
        if let known = self.value.known.withLock({ $0 }) { return known }
        do {
            let json = try JSON(parsing: self.bytes)
            self.value.known.withLock { $0 = json }
            return json
        } catch {
            throw .damaged("its content is not JSON", error)
        }
    }
}

extension RecordPayload: Hashable {
    /// Whether both are the same text.
    public static func == (left: RecordPayload, right: RecordPayload) -> Bool { left.bytes == right.bytes }

    /// Feeds the text.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.bytes)
    }
}

extension RecordPayload: CustomStringConvertible {
    /// The text.
    public var description: String { String(decoding: self.bytes, as: UTF8.self) }
}

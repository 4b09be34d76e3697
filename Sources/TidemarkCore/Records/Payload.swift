public import TidemarkJSON

/// The JSON text of a whole record: an object, kept as bytes until someone looks inside (I4, SPEC §9).
///
/// Two payloads are equal when their bytes are. Equality by value is ``JSONChanges/change(from:to:)``.
public struct Payload: Hashable, Sendable {
    /// The text.
    public let bytes: [UInt8]

    /// Wraps a text that is known to be a JSON object.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Writes a value as text.
    public init(_ json: JSON) {
        self.bytes = json.bytes
    }

    /// The value. A text that came from a disk can be damaged.
    public func json() throws(TidemarkError) -> JSON {
        do {
            return try JSON(parsing: self.bytes)
        } catch {
            throw .damaged("its content is not JSON", error)
        }
    }
}

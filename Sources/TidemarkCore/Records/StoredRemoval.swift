/// A removal of this device that the server confirmed, in its stored form: of a member of a record, or of the record.
///
/// The removed value is not kept, so only this shows that a rolled-back server has undone the removal (Contract §6).
public struct StoredRemoval: Hashable, Sendable {
    /// The pk of the record.
    public var pk: String

    /// The JSON pointer of the member (RFC 6901); "" for the whole record.
    public var path: String

    /// The server's version of the record after the removal, as JSON text; nil if it returned none.
    public var version: String?

    /// Makes a removal.
    public init(pk: String, path: String, version: String?) {
        self.pk = pk
        self.path = path
        self.version = version
    }
}

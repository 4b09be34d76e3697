/// A removal of this device that the server confirmed, as a store keeps it: of a member of a record, or of the record.
///
/// Nothing is left of what was removed, so this alone shows that a server that went back has undone it (SPEC §6).
public struct StoredRemoval: Hashable, Sendable {
    /// The record.
    public var pk: String

    /// The JSON pointer of the member (RFC 6901); "" for the whole record.
    public var path: String

    /// The server's version of the record after the removal, as JSON text; nil where it named none.
    public var stamp: String?

    /// Makes a removal.
    public init(pk: String, path: String, stamp: String?) {
        self.pk = pk
        self.path = path
        self.stamp = stamp
    }
}

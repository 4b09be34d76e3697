public import TidemarkJSON
public import TidemarkMachine

/// What a sync would send for one record.
public struct PlannedUpload: Hashable, Sendable {
    /// The record.
    public let pk: String

    /// What it would ask for: CREATED, EDITED or DELETED.
    public let state: SyncState

    /// The JSON text of the version it is made on; nil for a create over nothing.
    public let stamp: String?

    /// The patch it would send; nil for a deletion.
    public let patch: JSONPatch?

    /// The id of a request that no answer has settled, and whose very bytes would go out again (R17); nil for a new one.
    public let requestID: String?
}

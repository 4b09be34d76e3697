public import TidemarkJSON
public import TidemarkMachine

extension SyncClient {
    /// The change of one record that a sync would send.
    public struct PlannedUpload: Hashable, Sendable {
        /// The pk of the record.
        public let pk: String

        /// The operation: CREATED, EDITED or DELETED.
        public let state: SyncState

        /// The JSON text of the version that the change is based on; nil for a create of a record that the server does not have.
        public let version: String?

        /// The patch that the sync would send; nil for a deletion.
        public let patch: JSONPatch?

        /// The id of an unanswered request whose exact bytes would be sent again (R17); nil for a new request.
        public let requestID: String?
    }
}

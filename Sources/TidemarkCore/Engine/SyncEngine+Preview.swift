public import TidemarkJSON
public import TidemarkMachine

// A dry run: what a sync would send, without sending.

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

extension SyncEngine {
    /// What the next POST of a collection would send, in its order: what is unconfirmed, or else what is idle.
    ///
    /// Nothing is sent or changed. What the server's answer brings may lead to more; that can't be known before.
    public func preview(of collection: String) throws(TidemarkError) -> [PlannedUpload] {
        let unsettled = try self.store.unsettledRecords(in: collection)
        guard unsettled.isEmpty else {
            return try unsettled.map { (stored) throws(TidemarkError) in
                try self.plan(stored, in: collection, isResend: true)
            }.compactMap { $0 }
        }
        let limit = self.configuration.limits.batchSize
        return try self.store.recordsToSend(in: collection, limit: limit).map { (stored) throws(TidemarkError) in
            try self.plan(stored, in: collection, isResend: false)
        }.compactMap { $0 }
    }

    private func plan(
        _ stored: StoredRecord, in collection: String, isResend: Bool
    ) throws(TidemarkError) -> PlannedUpload? {
        var revived: Record?
        // One that is damaged hides no other.
        _ = try self.damage { () throws(TidemarkError) in revived = try self.revive(stored, in: collection) }
        guard var record = revived else { return nil }
        let input = Machine.Input.send(
            requestID: "", roundLimit: self.configuration.limits.rounds, recognition: .byAnswer)
        guard record.machine.canReceive(input) else { return nil }
        _ = try record.machine.receive(input, self.algebra(of: collection))
        guard let upload = record.machine.upload, let state = SyncState(rawValue: upload.intent.rawValue) else {
            return nil
        }
        return PlannedUpload(
            pk: record.pk, state: state, stamp: upload.stamp, patch: upload.change,
            requestID: isResend ? upload.requestID : nil)
    }
}

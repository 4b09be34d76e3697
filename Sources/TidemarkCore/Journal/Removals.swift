import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The removals of this device that the server confirmed: of records, and of their members. Only they show that a rolled-back
/// server has undone one (Contract §6, I1): a removed value is not kept, and another device journals its own removals.
struct Removals {
    let transaction: EngineTransaction

    /// Records that the server accepted an upload of a record.
    ///
    /// - Parameters:
    ///   - before: The record while the upload was in flight.
    ///   - shown: The server's state in the result. A row in the result of a delete is from another writer, who wrote
    ///     it after the delete.
    func note(
        _ record: Record, upload before: Record.Machine, shown: Record.Machine.ServerState?
    ) throws(TidemarkError) {
        guard let upload = before.upload else { return }
        let paths =
            switch upload.intent {
            case .delete: record.machine.phase == .absent && shown?.content == nil ? [JSONPointer.root] : []
            case .create, .edit: upload.change?.removedPaths ?? []
            }
        guard !paths.isEmpty else { return }
        for path in paths {
            let removal = StoredRemoval(pk: record.pk, path: path.text, version: shown?.version)
            try self.transaction.store.append(removal, in: self.transaction.collection)
        }
        self.transaction.hasNewRemovals = true
    }

    /// Returns the stored removals of a record, by path.
    func known(of pk: String) throws(TidemarkError) -> [CodePointString: StoredRemoval] {
        let removals = try self.transaction.store.removals(of: pk, in: self.transaction.collection)
        return Dictionary(removals.map { (CodePointString($0.path), $0) }) { _, newest in newest }
    }

    /// Removes the oldest removals beyond the limit.
    func trim() throws(TidemarkError) {
        guard !self.transaction.configuration.isGuest else { return }
        try self.transaction.store.trimRemovals(
            of: self.transaction.collection, keeping: self.transaction.limits.removals)
    }
}

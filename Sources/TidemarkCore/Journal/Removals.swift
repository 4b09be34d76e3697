import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The removals of this device that the server confirmed: of records, and of their members. Nothing else shows that a server
/// that went back has undone one (SPEC §6, I1): of what is removed nothing is kept, and what another device has removed, that
/// one journals.
struct Removals {
    let turn: Turn

    /// The server took an upload of a record.
    ///
    /// - Parameters:
    ///   - before: The record when the upload was still on its way.
    ///   - shown: What the server showed as it took it. A row beside a delete is another writer's, made since.
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
            let removal = StoredRemoval(pk: record.pk, path: path.text, stamp: shown?.stamp)
            try self.turn.store.append(removal, in: self.turn.collection)
        }
        self.turn.hasNewRemovals = true
    }

    /// The removals of a record that are still known, by their path.
    func known(of pk: String) throws(TidemarkError) -> [CodePointString: StoredRemoval] {
        let removals = try self.turn.store.removals(of: pk, in: self.turn.collection)
        return Dictionary(removals.map { (CodePointString($0.path), $0) }) { _, newest in newest }
    }

    /// Forgets the oldest, where there are too many.
    func trim() throws(TidemarkError) {
        try self.turn.store.trimRemovals(of: self.turn.collection, keeping: self.turn.limits.removals)
    }
}

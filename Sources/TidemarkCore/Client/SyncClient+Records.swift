import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The calls of the record and collection handles: each is one input of the engine, and its effects are carried out.

extension SyncClient {
    func create(_ content: JSON, pk: String?, in collection: String) throws(TidemarkError) -> RecordEdit {
        self.take(try self.engine(using: collection).create(content, pk: pk, in: collection), of: collection)
    }

    func edit(
        _ pk: String, in collection: String, _ change: @Sendable (JSON) throws(TidemarkError) -> JSON
    ) throws(TidemarkError) -> RecordEdit {
        self.take(try self.engine(using: collection).edit(pk, in: collection, change), of: collection)
    }

    /// Changes a record through a type: the closure gets the app's view and the field rules.
    func edit(
        _ pk: String, in collection: String,
        typed change: @Sendable (JSON, FieldRules) throws(TidemarkError) -> TypedChange
    ) throws(TidemarkError) -> RecordEdit {
        self.take(try self.engine(using: collection).edit(pk, in: collection, typed: change), of: collection)
    }

    func save(
        _ draft: JSON, over last: SavedDraft, of pk: String, in collection: String,
        preferring answers: [DraftConflict.Field: DraftConflict.Side], losses: [TypedChange.Loss]
    ) throws(TidemarkError) -> RecordEdit {
        let edit = try self.engine(using: collection)
            .save(draft, from: last.content, of: pk, in: collection, preferring: answers, losses: losses)
        last.content = draft
        return self.take(edit, of: collection)
    }

    func rules(of collection: String) throws(TidemarkError) -> CollectionRules {
        try self.engine(using: collection).configuration[collection]
    }

    func delete(_ pk: String, in collection: String) throws(TidemarkError) -> RecordEdit {
        self.take(try self.engine(using: collection).delete(pk, in: collection), of: collection)
    }

    func undo(_ edit: RecordEdit, of pk: String, in collection: String) throws(TidemarkError) -> RecordEdit {
        self.take(try self.engine(using: collection).undo(edit, of: pk, in: collection), of: collection)
    }

    func upsert(
        _ contents: [RecordInput], in collection: String,
        combine: @Sendable (_ present: JSON, _ new: JSON, _ fields: FieldRules) -> TypedChange
    ) throws(TidemarkError) -> RecordInput.UpsertCount {
        var rest = contents[...]
        return self.take(
            try self.engine(using: collection).upsert(
                from: { () throws(TidemarkError) in rest.popFirst() }, in: collection, combine: combine),
            of: collection)
    }

    func upsert(
        from next: @Sendable () throws(TidemarkError) -> RecordInput?, in collection: String,
        combine: @Sendable (_ present: JSON, _ new: JSON, _ fields: FieldRules) -> TypedChange
    ) throws(TidemarkError) -> RecordInput.UpsertCount {
        self.take(
            try self.engine(using: collection).upsert(from: next, in: collection, combine: combine), of: collection)
    }

    func retry(_ pk: String, in collection: String) throws(TidemarkError) {
        self.take(try self.engine(using: collection).retry(pk, in: collection), of: collection)
    }

    func resign(_ pk: String, in collection: String) throws(TidemarkError) {
        self.take(try self.engine(using: collection).resign(pk, in: collection), of: collection)
    }

    func restore(_ entry: Int64, in collection: String) throws(TidemarkError) {
        self.take(try self.engine(using: collection).restore(entry, in: collection), of: collection)
    }

    func restoreAll(
        _ reason: JournalEntry.Reason, in collection: String
    ) throws(TidemarkError) -> JournalEntry.Restoration {
        self.take(try self.engine(using: collection).restoreAll(reason, in: collection), of: collection)
    }

    func resolve(
        _ conflict: RecordConflict, _ verdict: Verdict
    ) async throws(TidemarkError) -> SyncEngine.Resolution {
        _ = try self.engine(using: conflict.collection)
        let resolved = try await self.merging(in: conflict.collection) { (engine, large) throws(TidemarkError) in
            try engine.resolve(conflict, verdict, large)
        }
        return self.take(resolved, of: conflict.collection)
    }

    private func take<Value>(_ committed: Committed<Value>, of collection: String) -> Value {
        self.take(committed.effects, of: collection)
        return committed.value
    }

    /// Carries out the effects of a change, and tells the run loop: there may be a change to send.
    private func take(_ effects: [SyncEffect], of collection: String) {
        self.tell(effects)
        let now = self.time.now
        self.mailbox?.put(.edited(CodePointString(collection), first: now, last: now))
    }

    func forget(_ collection: String) async throws(TidemarkError) {
        try self.engine.forget(collection)
        self.forgetReport(of: collection)
        self.hub.touchAll(of: collection)
        await self.removeErased()
    }

    /// Removes the rows of forgotten collections from the file, in parts, so that no other call waits for all of them. If the
    /// process ends or the disk fails, the next client removes the rest after its first sync: nothing can read it.
    func removeErased() async {
        while (try? self.openEngine?.removeErased()) == true { await Task.yield() }
    }
}

// MARK: - Looking

extension SyncClient {
    func snapshot(of pk: String, in collection: String) throws(TidemarkError) -> RecordSnapshot? {
        try self.engine(using: collection).snapshot(of: pk, in: collection)
    }

    func snapshots(
        in collection: String, states: Set<SyncState>, after pk: String?, limit: Int
    ) throws(TidemarkError) -> [RecordSnapshot] {
        try self.engine(using: collection).snapshots(in: collection, states: states, after: pk, limit: limit)
    }

    func conflicts(in collection: String) async throws(TidemarkError) -> [RecordConflict] {
        try await self.openConflicts(in: collection).map(\.conflict)
    }

    /// Reads the open conflicts of a collection in parts, since each is a merge and there may be any number. A record that
    /// changes meanwhile is shown as it was when its part was read.
    ///
    /// - Parameter last: Those of the last read; they are merged again only if their records changed.
    func openConflicts(
        in collection: String, after last: [StoredConflict] = []
    ) async throws(TidemarkError) -> [StoredConflict] {
        let known = Dictionary(last.map { (CodePointString($0.stored.pk), $0) }) { known, _ in known }
        var rest = try self.engine(using: collection).openPKs(in: collection)[...]
        var conflicts: [StoredConflict] = []
        while !rest.isEmpty {
            conflicts += try self.engine(using: collection).openConflicts(
                of: rest.prefix(Self.conflictsAtOnce), in: collection, after: known)
            rest = rest.dropFirst(Self.conflictsAtOnce)
            if !rest.isEmpty { await Task.yield() }
            guard !Task.isCancelled else { throw .cancelled("The reading of conflicts") }
        }
        return conflicts
    }

    /// The number of conflicts that are merged before other calls have their turn.
    private static let conflictsAtOnce = 100

    func journal(of pk: String?, in collection: String) throws(TidemarkError) -> [JournalEntry] {
        try self.engine(using: collection).journal(of: pk, in: collection)
    }

    func status(of collection: String) throws(TidemarkError) -> SyncStatus.Collection {
        try self.engine(using: collection).status(of: collection)
    }

    func preview(of collection: String) throws(TidemarkError) -> [SyncClient.PlannedUpload] {
        try self.engine(using: collection).preview(of: collection)
    }

    func explain(_ pk: String, in collection: String) throws(TidemarkError) -> RecordExplanation {
        try self.engine(using: collection).explain(pk, in: collection)
    }
}

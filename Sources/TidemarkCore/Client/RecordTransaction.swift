public import TidemarkJSON
public import TidemarkRules

/// One transaction of the app over any records and collections: all of its changes are stored, or none.
///
/// ```swift
/// try await client.transaction { t in
///     let work = try t["lists"].create(["name": "Work"])
///     for todo in try t[todos].all(RecordQuery(where: JSONField<String>("/list") == "inbox")).records {
///         try t[todos][todo.pk].edit { $0.list = work.pk }      // todos is a collection of the type Todo
///     }
///     try t["lists"]["inbox"].delete()
/// }
/// ```
///
/// The calls see the changes that were made before them in the transaction. `transaction` of ``SyncClient`` describes the
/// guarantees.
public final class RecordTransaction {
    let group: TransactionGroup
    private let collections: ClientCollections?

    /// The changed records, with the place of the last change of each in ``kept``.
    private var places: [RecordName: Int] = [:]
    private var kept: [RecordEdit?] = []

    /// The collections of the changed records.
    private(set) var changedCollections: Set<CodePointString> = []

    /// The number of records that queries have read.
    private var reads = 0

    /// The error of a call that had written before it failed.
    private var failure: TidemarkError?

    /// Whether a call that changes a record has not returned yet: the closure of an edit can't change records by itself, since the
    /// edit would overwrite their changes.
    private var isChanging = false
    private var hasEnded = false

    /// Takes back what drafts have noted, from the last to the first.
    private var restorations: [() -> Void] = []

    /// - Parameter collections: The collections that may be used, and that notes each used one; nil for any.
    init(_ group: TransactionGroup, _ collections: ClientCollections?) {
        self.group = group
        self.collections = collections
    }

    /// A collection within the transaction, as JSON; it need not exist.
    public subscript(name: String) -> Collection<JSON> {
        Collection(transaction: self, name: name, dates: .rfc3339, isOwn: true)
    }

    /// A collection within the transaction, as values of its type.
    public subscript<Value>(collection: SyncCollection<Value>) -> Collection<Value> {
        Collection(
            transaction: self, name: collection.name, dates: collection.dates, isOwn: self.isOf(collection.client))
    }

    private func isOf(_ client: SyncClient) -> Bool {
        self.collections == nil || client.collections === self.collections
    }

    /// The changes so far, in the order of their records' last change. Several changes of a record are one.
    ///
    /// Return them from the closure to undo the transaction later, with ``undo(_:)`` in another one.
    public var edits: [RecordEdit] { self.kept.compactMap { $0 } }

    /// Undoes the changes of an earlier transaction, from the last to the first: all or none.
    ///
    /// - Returns: The changes.
    /// - Throws: ``TidemarkError/Code/editOvertaken`` if a field was changed since; see ``SyncRecord/undo(_:)``.
    @discardableResult
    public func undo(_ edits: [RecordEdit]) throws(TidemarkError) -> [RecordEdit] {
        var undone: [RecordEdit] = []
        // Half an undo must not be stored.
        try self.failing { () throws(TidemarkError) in
            for edit in edits.reversed() where edit.before != edit.after {
                undone.append(try self[edit.collection][edit.pk].undo(edit))
            }
        }
        return undone
    }

    /// Undoes changes, from the last to the first, as far as their fields were not changed since.
    ///
    /// - Returns: The changes of this transaction, and those that were left.
    package func undoUnchanged(
        _ edits: [RecordEdit]
    ) throws(TidemarkError) -> (edits: [RecordEdit], left: [UndoHistory.Left]) {
        var left: [UndoHistory.Left] = []
        // Half an undo must not be stored.
        try self.failing { () throws(TidemarkError) in
            for edit in edits.reversed() {
                if let some = try self.undoUnchanged(edit) { left.append(some) }
            }
        }
        return (self.edits.filter { $0.before != $0.after }, left)
    }

    /// - Returns: The change that was left as it is; nil if none was.
    private func undoUnchanged(_ edit: RecordEdit) throws(TidemarkError) -> UndoHistory.Left? {
        let name = RecordName(collection: edit.collection, pk: edit.pk)
        let isReferred = edit.before == nil && edit.after != nil ? try !self.records(naming: name).isEmpty : false
        return try self.write(in: edit.collection) { (part) throws(TidemarkError) in
            let (undone, left) = try Editor(transaction: part).undoUnchanged(edit, isReferred: isReferred)
            if let undone { self.keep(undone) }
            return left
        }
    }

    /// Saves a draft, as ``RecordDraft/save(preferring:)`` does. If the transaction fails, the draft counts as not saved.
    @discardableResult
    public func save<Value>(
        _ draft: RecordDraft<Value>, preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:]
    ) throws(TidemarkError) -> RecordEdit {
        guard self.isOf(draft.record.client) else {
            throw TidemarkError(
                .transactionMisused, "The draft is of a record of another client: save it in a transaction of that one."
            )
        }
        let change = try draft.change()
        return try self.save(
            change.record, over: draft.saved, of: draft.record.pk, in: draft.record.collection.name,
            preferring: answers, losses: change.losses)
    }

    /// Saves the content of a draft over that of its last save.
    package func save(
        _ content: JSON, over saved: SavedDraft, of pk: String, in collection: String,
        preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:], losses: [TypedChange.Loss] = []
    ) throws(TidemarkError) -> RecordEdit {
        let former = saved.content
        let edit = try self.change(in: collection) { (editor) throws(TidemarkError) in
            try editor.save(content, from: former, of: pk, preferring: answers, losses: losses)
        }
        // At once, so that a second save in the transaction does not count a sum again.
        saved.content = content
        self.restorations.append { saved.content = former }
        return edit
    }
}

// MARK: - Its course

extension RecordTransaction {
    /// Runs the app's closure. An error of a call that had written fails the transaction, also if the closure catches it: what it
    /// wrote before the error can't be taken back alone.
    func run<Value>(
        _ body: (RecordTransaction) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        defer { self.hasEnded = true }
        let value = try body(self)
        if let failure { throw failure }
        return value
    }

    /// Takes back the notes outside of the store; the store itself has rolled back.
    func takeBack() {
        for restore in self.restorations.reversed() { restore() }
        self.restorations = []
    }

    /// Changes a record.
    func change(
        in collection: String, _ body: (Editor) throws(TidemarkError) -> RecordEdit
    ) throws(TidemarkError) -> RecordEdit {
        try self.write(in: collection) { (part) throws(TidemarkError) in
            let edit = try body(Editor(transaction: part))
            self.keep(edit)
            try self.checkSize()
            return edit
        }
    }

    func write<Value>(
        in collection: String, _ body: (EngineTransaction) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        let part = try self.part(of: collection)
        guard !self.isChanging else {
            throw TidemarkError(
                .transactionMisused,
                "The closure of an edit changes a record of \(collection) by itself: do that before the edit or after it."
            )
        }
        self.isChanging = true
        defer { self.isChanging = false }
        return try self.failing { () throws(TidemarkError) in try body(part) }
    }

    /// Runs a call, whose error fails the transaction if the call had written.
    private func failing<Value>(_ body: () throws(TidemarkError) -> Value) throws(TidemarkError) -> Value {
        let writes = self.group.writes
        do throws(TidemarkError) {
            return try body()
        } catch {
            if self.group.writes != writes { self.failure = error }
            throw error
        }
    }

    func part(of collection: String) throws(TidemarkError) -> EngineTransaction {
        guard !self.hasEnded else {
            throw TidemarkError(
                .transactionMisused,
                "The transaction has ended: use it within its closure only, and call the client outside of it.")
        }
        if let failure { throw failure }
        try self.collections?.use(collection)
        return try self.failing { () throws(TidemarkError) in try self.group.part(in: collection) }
    }

    /// Keeps a change. It is joined with the last change of its record, if nothing else was in between: a rule may have merged
    /// a value of the server, which is no change of the app.
    private func keep(_ edit: RecordEdit) {
        let name = RecordName(collection: edit.collection, pk: edit.pk)
        self.changedCollections.insert(name.collection)
        var edit = edit
        if let place = self.places[name], let last = self.kept[place], last.after == edit.before {
            edit = RecordEdit(
                collection: edit.collection, pk: edit.pk, before: last.before, after: edit.after,
                discards: last.discards)
            self.kept[place] = nil
        }
        self.places[name] = self.kept.count
        self.kept.append(edit.before == nil && edit.after == nil ? nil : edit)
    }

    /// The maximum number of records that are changed, and that a query returns.
    var most: Int { max(self.group.engine.configuration.limits.transactionRecords, 1) }

    private func checkSize() throws(TidemarkError) {
        guard self.places.count > self.most else { return }
        throw TidemarkError(
            .transactionTooLarge,
            """
            The transaction changes more than \(self.most) records (SyncLimits.transactionRecords): use upsert of the collection, \
            or several transactions.
            """)
    }

    /// Counts the records of a query, without reading them if an index or the store knows their number.
    func count(_ query: RecordQuery, in collection: String) throws(TidemarkError) -> Int {
        _ = try self.part(of: collection)
        let engine = self.group.engine
        let (checked, plan) = try engine.plan(query, in: collection)
        if let count = try engine.count(checked, plan, in: collection) { return count }
        return try self.scan(query, limit: nil, in: collection).count
    }

    /// Reads the records of a query, completely or not at all.
    ///
    /// - Parameter limit: Nil counts them.
    func scan(
        _ query: RecordQuery, limit: Int?, in collection: String
    ) throws(TidemarkError) -> QueryScan {
        let part = try self.part(of: collection)
        let limits = self.group.engine.configuration.limits
        let (checked, plan) = try self.group.engine.plan(query, in: collection)
        var scan = QueryScan(checked, plan, after: nil, limit: limit)
        while !scan.isOver {
            let before = scan.examined
            try scan.step(part)
            self.reads += scan.examined - before
            guard self.reads <= limits.transactionReads else {
                throw TidemarkError(
                    .transactionTooLarge,
                    """
                    The queries of the transaction read more than \(limits.transactionReads) records \
                    (SyncLimits.transactionReads), this one in \(collection): declare an index for it \
                    (CollectionRules.indexes) unless the first sync still builds it, or find the records before the transaction.
                    """)
            }
        }
        guard scan.next == nil else {
            throw TidemarkError(
                .transactionTooLarge,
                """
                More than \(self.most) records of \(collection) match the query \
                (SyncLimits.transactionRecords): use a narrower condition.
                """)
        }
        return scan
    }
}

// MARK: - Running it

extension SyncEngine {
    /// Runs a transaction of the app.
    ///
    /// - Parameter collections: The collections that may be used; nil for any.
    /// - Returns: The value of the closure, and the names of the collections that it changed.
    func transact<Value>(
        _ collections: ClientCollections?, _ body: (RecordTransaction) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Committed<(value: Value, changed: Set<CodePointString>)> {
        var transaction: RecordTransaction?
        do throws(TidemarkError) {
            return try self.commit { (group) throws(TidemarkError) in
                let present = RecordTransaction(group, collections)
                transaction = present
                let value = try present.run(body)
                return (value, present.changedCollections)
            }
        } catch {
            transaction?.takeBack()
            throw error
        }
    }

    /// Runs a transaction of the app; see `transaction` of ``SyncClient``.
    package func transact<Value>(
        _ body: (RecordTransaction) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Committed<Value> {
        let committed = try self.transact(nil, body)
        return Committed(value: committed.value.value, effects: committed.effects)
    }
}

extension SyncClient {
    /// Changes any records in any collections in one transaction. Durable when it returns; sent with the next sync.
    ///
    /// All changes are stored, or none: also if the process ends, the disk is full, or the closure throws. No reader sees a part
    /// of them, and no sync, answer or tactic runs in between. A closure that changes nothing reads several collections at one
    /// moment.
    ///
    /// The changes are sent, answered and decided one by one (Contract R25): the server and other devices may see some of them
    /// before others, and one of them may be refused. What must change together belongs in one record.
    ///
    /// The closure runs on the client's executor, and all other calls wait for it: no input and output in it, and at most
    /// ``SyncLimits/transactionRecords`` changed records. An error of a call that had written fails the transaction, also if the
    /// closure catches it.
    ///
    /// - Returns: The value of the closure.
    /// - Throws: ``TidemarkError/Code/transactionTooLarge``, the errors of the closure and of its calls, and those of the store.
    @discardableResult
    public func transaction<Value: Sendable>(
        _ body: @Sendable (RecordTransaction) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        let committed = try self.engine.transact(self.collections, body)
        self.tell(committed.effects)
        let now = self.time.now
        for name in committed.value.changed.sorted() { self.mailbox?.put(.edited(name, first: now, last: now)) }
        return committed.value.value
    }

    /// Changes any records in one transaction, unless the closure throws: then nothing changes, and the caller gets the same error.
    @discardableResult
    public func transaction<Value: Sendable>(
        _ body: @Sendable (RecordTransaction) throws -> Value
    ) async throws -> Value {
        try await RefusedByApp.rethrowing { () async throws(TidemarkError) in
            try self.transaction { (transaction) throws(TidemarkError) in
                try RefusedByApp.wrapping { try body(transaction) }
            }
        }
    }
}

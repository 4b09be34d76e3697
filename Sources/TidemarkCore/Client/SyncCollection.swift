public import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

/// The records of one collection, as values of a type: of your own, or `JSON`.
///
/// ```swift
/// let notes = client.collection("notes", of: Note.self)
/// try await notes.create(Note(title: "Milk"), pk: "42")
/// for try await list in notes.observe() { print(list.records.map(\.title)) }
///
/// try await client["notes"]["42"].edit { $0.tags = ["home"] }     // the same records as JSON
/// ```
///
/// The type is that of this handle: the records are JSON, whichever handle reads or writes them, and an edit through a type
/// keeps the members that the type does not know.
public struct SyncCollection<Value: Decodable & Sendable>: Sendable {
    let client: SyncClient

    /// The name of the collection.
    public let name: String

    /// How a `Date` is read and written.
    let dates: JSONDates

    /// The same collection as values of another type.
    package func of<Other: Decodable & Sendable>(
        _ type: Other.Type, dates: JSONDates = .rfc3339
    ) -> SyncCollection<Other> {
        self.client.collection(self.name, of: type, dates: dates)
    }

    /// A record; it need not exist.
    public subscript(pk: String) -> SyncRecord<Value> {
        SyncRecord(collection: self, pk: pk)
    }

    /// A record by ``RecordValue/id``; it need not exist.
    @_disfavoredOverload
    public subscript(id: CodePointString) -> SyncRecord<Value> {
        self[id.value]
    }

    /// Creates a record.
    ///
    /// ```swift
    /// let note = try await notes.create(Note(title: "Milk"))
    /// try await notes[note.pk].undo(note)                             // deletes it, unless it was changed since
    /// ```
    ///
    /// - Parameters:
    ///   - value: The content; its JSON must be an object.
    ///   - pk: The pk; nil makes a UUID.
    /// - Returns: The change, so that it can be undone; its ``RecordEdit/pk`` is the pk.
    /// - Throws: ``TidemarkError/Code/recordExists``, ``TidemarkError/Code/invalidContent`` if the value does not become a JSON
    ///   object, ``TidemarkError/Code/invalidName``, and the errors of the store.
    @discardableResult
    public func create(_ value: Value, pk: String? = nil) async throws(TidemarkError) -> RecordEdit
    where Value: Encodable {
        try await self.client.create(
            try JSON.content(encoding: value, dates: self.dates), pk: pk, in: self.name)
    }

    /// Returns records in the order of the UTF-8 bytes of their pk.
    ///
    /// - Parameters:
    ///   - states: The states to include; by default all four.
    ///   - pk: Only records after this pk are returned.
    ///   - limit: The maximum number of records.
    public func list(
        states: Set<SyncState> = Set(SyncState.allCases), after pk: String? = nil, limit: Int = 1_000
    ) async throws(TidemarkError) -> [RecordSnapshot] {
        try await self.client.snapshots(in: self.name, states: states, after: pk, limit: limit)
    }

    /// The conflicts that wait for the user.
    public var conflicts: [OpenConflict] {
        get async throws(TidemarkError) {
            try await self.client.conflicts(in: self.name).map { OpenConflict(client: self.client, conflict: $0) }
        }
    }

    /// Resolves a conflict.
    ///
    /// ```swift
    /// for open in try await notes.conflicts {
    ///     try await notes.resolve(open.conflict, .clashes(.client))
    /// }
    /// ```
    ///
    /// - Parameter conflict: The conflict as it was shown to the user, however long ago. The decision counts for this conflict
    ///   only (R22).
    /// - Throws: ``TidemarkError/Code/staleDecision`` if the server or the app changed the record meanwhile: read the
    ///   collection's conflicts again. ``TidemarkError/Code/nothingToDecide`` if the record has no conflict,
    ///   ``TidemarkError/Code/invalidContent`` for a merge that is not an object, ``TidemarkError/Code/recordExists`` or
    ///   ``TidemarkError/Code/invalidName`` if `keepBoth` names a pk that is taken or invalid.
    public func resolve(_ conflict: RecordConflict, _ verdict: Verdict) async throws(TidemarkError) {
        guard CodePointString(conflict.collection) == CodePointString(self.name) else {
            throw TidemarkError(
                .nothingToDecide,
                "The conflict of “\(conflict.pk)” is in \(conflict.collection), not in \(self.name): decide it there.")
        }
        try await OpenConflict(client: self.client, conflict: conflict).resolve(verdict)
    }

    /// The values that lost, with the reason, from the oldest to the newest.
    public var journal: [JournalEntry] {
        get async throws(TidemarkError) { try await self.client.journal(of: nil, in: self.name) }
    }

    /// The status of the collection.
    public var status: SyncStatus.Collection {
        get async throws(TidemarkError) { try await self.client.status(of: self.name) }
    }

    /// The changes that the next sync would send first, without sending them.
    public var preview: [SyncClient.PlannedUpload] {
        get async throws(TidemarkError) { try await self.client.preview(of: self.name) }
    }

    /// Restores a value that lost, as a new edit.
    ///
    /// - Parameter entry: The number of the journal entry.
    /// - Throws: ``TidemarkError/Code/noSuchEntry``; ``TidemarkError/Code/patchFailed`` if the place of the value no longer
    ///   exists.
    public func restore(_ entry: Int64) async throws(TidemarkError) {
        try await self.client.restore(entry, in: self.name)
    }

    /// Syncs this collection with the server; see ``SyncClient/sync(_:)``.
    public func sync() async throws(TidemarkError) -> SyncReport {
        try await self.client.sync([self.name])
    }

    /// Removes the collection from the store: records, cursor and journal. The server keeps its rows, and the next sync of the
    /// collection loads all of them again.
    ///
    /// - Throws: ``TidemarkError/Code/unsentChanges`` while the server has not confirmed all of its changes;
    ///   ``TidemarkError/Code/collectionInUse`` while it syncs.
    public func forget() async throws(TidemarkError) {
        try await self.client.forget(self.name)
    }
}

public import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

/// The records of one collection.
///
/// ```swift
/// let notes = client["notes"]
/// try await notes.create(["title": "Milk", "tags": ["home"]], pk: "42")
/// for try await records in notes.values(as: Note.self) { print(records.count) }
/// ```
public struct SyncCollection: Sendable {
    let client: SyncClient

    /// The name of the collection.
    public let name: String

    /// A record; it need not exist.
    public subscript(pk: String) -> SyncRecord {
        SyncRecord(collection: self, pk: pk)
    }

    /// Makes a record from JSON.
    ///
    /// - Parameter pk: Its name; nil makes a UUID.
    /// - Returns: The pk.
    /// - Throws: ``TidemarkError/Code/recordExists``, ``TidemarkError/Code/invalidContent`` when it is not an object.
    @discardableResult
    public func create(_ content: JSON, pk: String? = nil) async throws(TidemarkError) -> String {
        try await self.client.create(content, pk: pk, in: self.name)
    }

    /// Makes a record from a value of your own.
    ///
    /// ```swift
    /// try await notes.create(Note(title: "Milk"), pk: "42")
    /// ```
    ///
    /// - Parameters:
    ///   - value: What it shall be.
    ///   - type: What it is written as, which is what ``SyncRecord/get(as:dates:)`` reads it as; the type of the value when
    ///     left out.
    ///   - pk: Its name; nil makes a UUID.
    ///   - dates: How a `Date` is written.
    /// - Returns: The pk.
    /// - Throws: ``TidemarkError/Code/invalidContent`` when the value does not become a JSON object, and what the other
    ///   `create` throws.
    @_disfavoredOverload
    @discardableResult
    public func create<Value: Encodable>(
        _ value: Value, as type: Value.Type = Value.self, pk: String? = nil, dates: JSONDates = .rfc3339
    ) async throws(TidemarkError) -> String {
        try await self.create(try JSON.content(encoding: value, dates: dates), pk: pk)
    }

    /// Records in the order of the UTF-8 bytes of their pk.
    ///
    /// - Parameters:
    ///   - states: Which states; all four when left out.
    ///   - pk: Where to go on: only records after this pk.
    ///   - limit: How many at most.
    public func list(
        states: Set<SyncState> = Set(SyncState.allCases), after pk: String? = nil, limit: Int = 1_000
    ) async throws(TidemarkError) -> [RecordSnapshot] {
        try await self.client.snapshots(in: self.name, states: states, after: pk, limit: limit)
    }

    /// The conflicts that wait for a person.
    public var conflicts: [OpenConflict] {
        get async throws(TidemarkError) {
            try await self.client.conflicts(in: self.name).map { OpenConflict(collection: self, conflict: $0) }
        }
    }

    /// Decides a conflict.
    ///
    /// ```swift
    /// for open in try await notes.conflicts {
    ///     try await notes.resolve(open.conflict, .clashes(.client))
    /// }
    /// ```
    ///
    /// - Parameter conflict: What was shown: it may have been kept as long as it takes a person to decide. The decision is good
    ///   for this only (R22).
    /// - Throws: ``TidemarkError/Code/staleDecision`` when the server or the app changed the record meanwhile: look at the
    ///   collection's conflicts again. ``TidemarkError/Code/nothingToDecide`` when the record is in no conflict,
    ///   ``TidemarkError/Code/invalidContent`` for a merge that is not an object, ``TidemarkError/Code/recordExists`` or
    ///   ``TidemarkError/Code/invalidName`` when `keepBoth` names a pk that is taken or can't be one.
    public func resolve(_ conflict: RecordConflict, _ verdict: Verdict) async throws(TidemarkError) {
        guard CodePointString(conflict.collection) == CodePointString(self.name) else {
            throw TidemarkError(
                .nothingToDecide,
                "The conflict of “\(conflict.pk)” is in \(conflict.collection), not in \(self.name): decide it there.")
        }
        guard try await self.client.resolve(conflict, verdict) == .stale else { return }
        throw TidemarkError(
            .staleDecision,
            "“\(conflict.pk)” in \(conflict.collection) has changed since you were asked. Look at the conflict again, and decide anew."
        )
    }

    /// What lost, and why, from the oldest to the newest.
    public var journal: [JournalEntry] {
        get async throws(TidemarkError) { try await self.client.journal(of: nil, in: self.name) }
    }

    /// How the collection stands.
    public var status: CollectionStatus {
        get async throws(TidemarkError) { try await self.client.status(of: self.name) }
    }

    /// What the next sync would send first, without sending it.
    public var preview: [PlannedUpload] {
        get async throws(TidemarkError) { try await self.client.preview(of: self.name) }
    }

    /// Brings a value that lost back, as a new edit.
    ///
    /// - Parameter entry: The number of the journal entry.
    /// - Throws: ``TidemarkError/Code/noSuchEntry``; ``TidemarkError/Code/patchFailed`` when its place is gone.
    public func restore(_ entry: Int64) async throws(TidemarkError) {
        try await self.client.restore(entry, in: self.name)
    }

    /// Brings this collection in step with the server; see ``SyncClient/sync(_:)``.
    public func sync() async throws(TidemarkError) -> SyncReport {
        try await self.client.sync([self.name])
    }

    /// Takes the collection out of the store: records, watermark and journal. The server keeps its rows, and the next
    /// sync of the collection brings them all again.
    ///
    /// - Throws: ``TidemarkError/Code/unsentChanges`` while something of it is not confirmed by the server;
    ///   ``TidemarkError/Code/collectionInUse`` while it syncs.
    public func forget() async throws(TidemarkError) {
        try await self.client.forget(self.name)
    }
}

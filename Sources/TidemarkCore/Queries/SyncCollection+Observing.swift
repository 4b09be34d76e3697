public import TidemarkRules

extension SyncCollection {
    /// The app's view of the collection: the present records at once, and then the present records at each change.
    ///
    /// ```swift
    /// for try await list in notes.observe() {
    ///     label.text = list.records.map(\.title).joined(separator: "\n")
    /// }
    /// ```
    ///
    /// Each change of a record, by the app, the server or a merge, and each new ``RecordValue/phase``, gives a new list. A list
    /// is the content of the store at one moment, in the order of the UTF-8 bytes of the pks. Only changed records are read for
    /// it. A slow reader gets only the newest list, and its memory is bounded: the names of ``CollectionChange/limit`` records. If
    /// more records change between two reads, the whole collection is read again. While that happens again and again, as in a first
    /// sync, a list may contain some records of an earlier moment than others; the next list corrects that.
    ///
    /// A list contains every record, so use it for a collection that fits in memory; for larger ones use
    /// ``pages(of:)`` and ``changes``, or a query with a limit. A list that was kept is copied at the next change: its
    /// values are shared, but that still takes a moment for each record. Each iteration starts from the beginning. The sequence
    /// ends when the client is closed or the task is cancelled.
    ///
    /// - Throws: While iterating, the errors of the store; then the sequence ends.
    public func observe() -> some AsyncSequence<RecordList<Value>, TidemarkError> & Sendable {
        LiveRecords(collection: self, wish: ListWish(), isActivityTold: true)
    }

    /// The first records of a query, and their changes: a list at once, and a new one whenever the list changes.
    ///
    /// ```swift
    /// for try await list in todos.observe(open, limit: 200) {
    ///     print(list.records.count, list.hasMore, list.difference.inserted)
    /// }
    /// ```
    ///
    /// A change of a record is applied to the list, and no other record is read or decoded for it: its cost does not depend on
    /// the number of records of the collection. If a full list loses a record, the next one is read. If more than
    /// ``CollectionChange/limit`` records change between two reads, the list is read again.
    ///
    /// A slow reader gets only the newest list, whose difference is that to the list which it got last. It ends when the client
    /// is closed or the task is cancelled.
    ///
    /// - Parameters:
    ///   - query: The condition and the order.
    ///   - limit: The maximum number of records, the unreadable ones included, from 1 to ``RecordQuery/Limits/window``.
    ///   - tellingActivity: Whether a change of a record's activity alone, such as the begin of its upload, gives a new list. If
    ///     not, the next list has the new ``RecordValue/phase``.
    /// - Throws: While iterating, ``TidemarkError/Code/invalidQuery`` and the errors of the store; then the sequence ends.
    public func observe(
        _ query: RecordQuery, limit: Int = 100, tellingActivity: Bool = true
    ) -> some AsyncSequence<RecordList<Value>, TidemarkError> & Sendable {
        LiveRecords(collection: self, wish: ListWish(query, limit: limit), isActivityTold: tellingActivity)
    }
}

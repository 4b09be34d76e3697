public import TidemarkJSON
public import TidemarkRules

extension SyncCollection {
    /// The app's view of the collection as values of your own: the present records at once, and then the present records at
    /// each change.
    ///
    /// ```swift
    /// for try await records in notes.observe(as: Note.self) {
    ///     label.text = records.compactMap { try? $0.value.title }.joined(separator: "\n")
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
    /// ``pages(of:as:dates:)`` and ``changes``, or a query with a limit. A list that was kept is copied at the next change: its
    /// values are shared, but that still takes a moment for each record. Each iteration starts from the beginning. The sequence
    /// ends when the client is closed or the task is cancelled.
    ///
    /// - Parameters:
    ///   - type: The type that a record is read as; `JSON.self` for the content itself. A record that does not fit is in the
    ///     list: its ``RecordValue/value`` throws.
    ///   - dates: How a `Date` is read.
    /// - Throws: While iterating, the errors of the store; then the sequence ends.
    public func observe<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) -> some AsyncSequence<[RecordValue<Value>], TidemarkError> & Sendable {
        LiveRecords<Value>(collection: self, wish: ListWish(), isActivityTold: true, dates: dates).map { $0.records }
    }

    /// The app's view of the collection as JSON, now and whenever it changes; see ``observe(as:dates:)``.
    public func observe() -> some AsyncSequence<[RecordValue<JSON>], TidemarkError> & Sendable {
        self.observe(as: JSON.self)
    }

    /// The first records of a query as values of your own, and their changes: a list at once, and a new one whenever the list
    /// changes.
    ///
    /// ```swift
    /// for try await list in todos.observe(open, as: Todo.self, limit: 200) {
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
    ///   - type: The type that a record is read as; `JSON.self` for the content itself. A record that does not fit is in the
    ///     list: its ``RecordValue/value`` throws.
    ///   - limit: The maximum number of records, from 1 to ``RecordQuery/Limits/window``.
    ///   - tellingActivity: Whether a change of a record's activity alone, such as the begin of its upload, gives a new list. If
    ///     not, the next list has the new ``RecordValue/phase``.
    ///   - dates: How a `Date` is read.
    /// - Throws: While iterating, ``TidemarkError/Code/invalidQuery`` and the errors of the store; then the sequence ends.
    public func observe<Value: Decodable & Sendable>(
        _ query: RecordQuery, as type: Value.Type, limit: Int = 100, tellingActivity: Bool = true,
        dates: JSONDates = .rfc3339
    ) -> some AsyncSequence<RecordList<Value>, TidemarkError> & Sendable {
        LiveRecords<Value>(
            collection: self, wish: ListWish(query, limit: limit), isActivityTold: tellingActivity, dates: dates)
    }

    /// The first records of a query as JSON, and their changes; see
    /// ``observe(_:as:limit:tellingActivity:dates:)``.
    public func observe(
        _ query: RecordQuery, limit: Int = 100, tellingActivity: Bool = true
    ) -> some AsyncSequence<RecordList<JSON>, TidemarkError> & Sendable {
        self.observe(query, as: JSON.self, limit: limit, tellingActivity: tellingActivity)
    }
}

public import TidemarkJSON
public import TidemarkRules

/// The first records of a query, now and whenever they change; see
/// ``SyncCollection/observe(_:as:limit:tellingActivity:dates:)``.
struct LiveRecords<Value: Decodable & Sendable>: AsyncSequence {
    let collection: SyncCollection
    let wish: ListWish
    let isActivityTold: Bool
    let dates: JSONDates

    /// Watches from now on: the first list includes the changes before it.
    func makeAsyncIterator() -> Iterator {
        Iterator(list: self, reader: ChangeReader(of: self.collection, wish: self.wish))
    }

    struct Iterator: AsyncIteratorProtocol {
        let list: LiveRecords

        var reader: ChangeReader

        /// Nil before the first list.
        private var present: QueryWindow<Value>?

        init(list: LiveRecords, reader: ChangeReader) {
            self.list = list
            self.reader = reader
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(TidemarkError) -> RecordList<Value>? {
            guard let watch = self.reader.watch else { return nil }
            do throws(TidemarkError) {
                while !Task.isCancelled, let query = self.list.wish.query {
                    if let list = try await self.look(query, watch, actor) { return list }
                    guard await self.reader.wait(isolation: actor) else { break }
                }
                self.reader.end()
            } catch {
                try self.reader.end(by: error)
            }
            return nil
        }

        /// Reads the changed records.
        ///
        /// - Returns: The list; nil if it did not change.
        private mutating func look(
            _ query: RecordQuery, _ watch: ChangeWatch, _ actor: isolated (any Actor)?
        ) async throws(TidemarkError) -> RecordList<Value>? {
            let (client, name) = (self.list.collection.client, self.list.collection.name)
            let limit = self.list.wish.limit
            let former = self.present
            var window: QueryWindow<Value>
            if let former, former.query.query == query {
                window = former.limit == limit ? former : former.widened(to: limit)
            } else {
                window = QueryWindow(
                    try await client.check(query, limit: limit, in: name), limit: limit, dates: self.list.dates)
            }
            switch try await client.look(watch, in: name) {
            case .some(let changed): window = await window.taking(changed)
            case .all: window = QueryWindow(window.query, limit: limit, dates: self.list.dates)
            }
            // A record that changes while other records are read is read in the next pass.
            while window.missingCount > 0 {
                let scan = try await client.scan(
                    query, after: window.rows.last?.position, limit: window.missingCount, in: name)
                window = await window.adding(Array(scan.page), hasMore: scan.next != nil)
            }
            self.present = window
            let empty = QueryWindow<Value>(window.query, limit: limit, dates: self.list.dates)
            let list = window.list(since: former ?? empty, isActivityTold: self.list.isActivityTold)
            let isAsBefore = list.difference.isEmpty && former?.hasMore == window.hasMore && former?.limit == limit
            return former != nil && isAsBefore ? nil : list
        }
    }
}

extension SyncCollection {
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

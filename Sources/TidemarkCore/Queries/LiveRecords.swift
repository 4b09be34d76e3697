import TidemarkJSON
import TidemarkRules

/// The first records of a query or all records of a collection, now and whenever they change; see
/// ``SyncCollection/observe(_:limit:tellingActivity:)`` and ``SyncCollection/observe()``.
struct LiveRecords<Value: Decodable & Sendable>: AsyncSequence {
    let collection: SyncCollection<Value>
    let wish: ListWish
    let isActivityTold: Bool

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
                while !Task.isCancelled {
                    if let list = try await self.look(watch, actor) { return list }
                    guard await self.reader.wait(isolation: actor) else { break }
                }
                self.reader.end()
            } catch {
                try self.reader.end(by: error)
            }
            return nil
        }

        /// How often the records that a list lacks are read for it. After that it is delivered, also if further records changed
        /// meanwhile: the next list has them.
        private static var reads: Int { 3 }

        /// Reads the changed records.
        ///
        /// - Returns: The list; nil if it did not change.
        private mutating func look(
            _ watch: ChangeWatch, _ actor: isolated (any Actor)?
        ) async throws(TidemarkError) -> RecordList<Value>? {
            let (query, limit) = self.list.wish.current
            let former = self.present.map { (limit: $0.limit, hasMore: $0.hasMore) }
            // Taken out, so that it is changed in place. An error ends the sequence.
            var window = try await self.window(query, limit)
            // The list is that of the last look. Records that are read page by page are of other moments, so there is another look
            // after them.
            reading: for read in 1...Self.reads {
                switch try await self.client.whileAwake({ () async throws(TidemarkError) in
                    try await self.client.look(watch, in: self.name)
                }) {
                case .some(let changed): window = await (consume window).taking(changed)
                case .all where read > 1:
                    // Too many changes for a list of one moment: this one is delivered, and read again.
                    watch.touchAll()
                    break reading
                case .all:
                    let query = window.query
                    window = await (consume window).restarted(query)
                }
                guard window.isIncomplete else { break }
                window = try await self.completed(consume window, actor)
            }
            let (list, isOther, next) = await (consume window).list(isActivityTold: self.list.isActivityTold)
            self.present = next
            let isAsBefore = !isOther && former?.hasMore == list.hasMore && former?.limit == limit
            return former != nil && isAsBefore ? nil : list
        }
    }
}

extension LiveRecords.Iterator {
    private var client: SyncClient { self.list.collection.client }
    private var name: String { self.list.collection.name }

    /// Takes out the window, and makes it one of a query.
    private mutating func window(
        _ query: RecordQuery, _ limit: Int?
    ) async throws(TidemarkError) -> QueryWindow<Value> {
        guard var window = self.present.take() else {
            let checked = try await self.check(query, limit)
            return QueryWindow(checked, limit: limit, dates: self.list.collection.dates)
        }
        if window.query.query != query {
            let checked = try await self.check(query, limit)
            window = await (consume window).restarted(checked)
        }
        if window.limit != limit { window = await (consume window).resized(to: limit) }
        return window
    }

    private func check(_ query: RecordQuery, _ limit: Int?) async throws(TidemarkError) -> CheckedQuery {
        try await self.client.whileAwake { () async throws(TidemarkError) in
            try await self.client.check(query, limit: limit, in: self.name)
        }
    }

    /// Reads the records that a window lacks, page by page.
    private func completed(
        _ window: consuming QueryWindow<Value>, _ actor: isolated (any Actor)?
    ) async throws(TidemarkError) -> QueryWindow<Value> {
        var place = window.end
        while window.isIncomplete {
            guard !Task.isCancelled else { throw .cancelled("The list of \(self.name)") }
            let (query, count, start) = (window.query.query, window.readCount, place)
            let scan = try await self.client.whileAwake { () async throws(TidemarkError) in
                try await self.client.scan(query, after: start, limit: count, in: self.name)
            }
            place = scan.next
            window = await (consume window).adding(scan.page, hasMore: place != nil)
        }
        return window
    }
}

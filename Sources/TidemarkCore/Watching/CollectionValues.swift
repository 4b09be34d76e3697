public import TidemarkJSON
public import TidemarkRules

/// The app's view of a collection, now and whenever it changes; see ``SyncCollection/observe(as:dates:)``.
struct CollectionValues<Value: Decodable & Sendable>: AsyncSequence {
    let collection: SyncCollection
    let dates: JSONDates

    /// Ends the sequence when it has a query; nil for one that has none.
    var wish: ListWish?

    /// Watches from now on: the first value includes the changes before it.
    func makeAsyncIterator() -> Iterator {
        Iterator(values: self, reader: ChangeReader(of: self.collection, wish: self.wish))
    }

    struct Iterator: AsyncIteratorProtocol {
        typealias Records = [RecordValue<Value>]

        let values: CollectionValues

        var reader: ChangeReader

        /// In the order of the pks; nil before the first read.
        private var present: Records?

        init(values: CollectionValues, reader: ChangeReader) {
            self.values = values
            self.reader = reader
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(TidemarkError) -> Records? {
            guard let watch = self.reader.watch else { return nil }
            do throws(TidemarkError) {
                while !Task.isCancelled, self.values.wish?.query == nil {
                    if try await self.look(watch, actor) { return self.present }
                    guard await self.reader.wait(isolation: actor) else { break }
                }
                self.reader.end()
            } catch {
                try self.reader.end(by: error)
            }
            return nil
        }

        /// - Returns: Whether any record changed.
        private mutating func look(
            _ watch: ChangeWatch, _ actor: isolated (any Actor)?
        ) async throws(TidemarkError) -> Bool {
            let client = self.values.collection.client
            if let present = self.present {
                switch try await client.look(watch, in: self.values.collection.name) {
                case .some(let changed): return try await self.take(changed, into: present, actor)
                case .all: break
                }
            }
            // Pages are read at different moments. Changes in between are in the next read, which is of one moment.
            let pages = try await self.values.collection.all(as: Value.self, dates: self.values.dates)
            self.present = pages
            switch try await client.look(watch, in: self.values.collection.name) {
            case .some(let changed): _ = try await self.take(changed, into: pages, actor)
            // There were too many changes for a list of one moment: this list is delivered, and read again.
            case .all: watch.touchAll()
            }
            return true
        }

        private mutating func take(
            _ changed: [CodePointString: RecordSnapshot?], into present: Records, _ actor: isolated (any Actor)?
        ) async throws(TidemarkError) -> Bool {
            guard !changed.isEmpty else { return false }
            let update = await present.taking(changed, dates: self.values.dates)
            self.present = update.records
            return update.isChange
        }
    }
}

/// A list after a change.
private struct ListUpdate<Value: Sendable>: Sendable {
    var records: [RecordValue<Value>] = []
    var isChange = false
}

extension Array {
    /// Returns the list with some records replaced. It runs off the caller's actor, so that a view does not wait for it.
    @concurrent
    fileprivate func taking<Value: Decodable & Sendable>(
        _ changed: [CodePointString: RecordSnapshot?], dates: JSONDates
    ) async -> ListUpdate<Value> where Element == RecordValue<Value> {
        var news = changed.map { (name: $0.key, record: $0.value.flatMap { RecordValue<Value>($0, dates: dates) }) }
            .sorted { $0.name < $1.name }[...]
        var update = ListUpdate<Value>()
        update.records.reserveCapacity(self.count + news.count)
        func takeNews() {
            guard let record = news.removeFirst().record else { return }
            update.records.append(record)
            update.isChange = true
        }
        for record in self {
            while let next = news.first, next.name < record.id { takeNews() }
            if news.first?.name == record.id {
                takeNews()
                update.isChange = true
            } else {
                update.records.append(record)
            }
        }
        while !news.isEmpty { takeNews() }
        return update
    }
}

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
    /// is the content of the store at one moment, in the order of the UTF-8 bytes of the pks. A slow reader gets only the
    /// newest list, and its memory is bounded: the names of ``CollectionChange/limit`` records. If more records change between
    /// two reads, the whole collection is read again. While that happens again and again, as in a first sync, a list may
    /// contain some records of an earlier moment than others; the next list corrects that.
    ///
    /// A list contains every record, so use it for a collection that fits in memory; for larger ones use
    /// ``pages(of:as:dates:)`` and ``changes``. Each iteration starts from the beginning. The sequence ends when the client is
    /// closed or the task is cancelled.
    ///
    /// - Parameters:
    ///   - type: The type that a record is read as; `JSON.self` for the content itself. A record that does not fit is in the
    ///     list: its ``RecordValue/value`` throws.
    ///   - dates: How a `Date` is read.
    /// - Throws: While iterating, the errors of the store; then the sequence ends.
    public func observe<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) -> some AsyncSequence<[RecordValue<Value>], TidemarkError> & Sendable {
        CollectionValues<Value>(collection: self, dates: dates)
    }

    /// The app's view of the collection as JSON, now and whenever it changes; see ``observe(as:dates:)``.
    public func observe() -> some AsyncSequence<[RecordValue<JSON>], TidemarkError> & Sendable {
        self.observe(as: JSON.self)
    }
}

public import TidemarkJSON
public import TidemarkRules

/// What the app sees of a collection, now and whenever it changes; see ``SyncCollection/values(as:dates:)``.
struct CollectionValues<Value: Decodable & Sendable>: AsyncSequence {
    let collection: SyncCollection
    let dates: JSONDates

    /// Watches from here on: what changes before the first look is seen with it.
    func makeAsyncIterator() -> Iterator {
        // A name that may not be used is an error of the first look.
        try? self.collection.client.collections.use(self.collection.name, isNew: true)
        let watch = ChangeWatch()
        let topic = ChangeHub.Topic.collection(CodePointString(self.collection.name))
        return Iterator(
            values: self, subscription: self.collection.client.hub.watch(topic, watch),
            raises: watch.signal.raises.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        typealias Records = [RecordValue<Value>]

        let values: CollectionValues

        /// Nil at the end.
        var subscription: Subscription<ChangeWatch>?
        var raises: AsyncStream<Void>.Iterator

        /// In the order of the pks; nil before the first look.
        private var present: Records?

        init(
            values: CollectionValues, subscription: Subscription<ChangeWatch>, raises: AsyncStream<Void>.Iterator
        ) {
            self.values = values
            self.subscription = subscription
            self.raises = raises
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(TidemarkError) -> Records? {
            guard let watch = self.subscription?.watcher else { return nil }
            do throws(TidemarkError) {
                while !Task.isCancelled {
                    if try await self.look(watch, actor) { return self.present }
                    guard await self.raises.next(isolation: actor) != nil else { break }
                }
                self.subscription = nil
                return nil
            } catch {
                self.subscription = nil
                guard error.code == .clientClosed || error.code == .cancelled else { throw error }
                return nil
            }
        }

        /// - Returns: Whether anything is not what it was.
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
            // Pages are read at different moments. What changed meanwhile is in the next sight, which is of one moment.
            let pages = try await self.values.collection.all(as: Value.self, dates: self.values.dates)
            self.present = pages
            switch try await client.look(watch, in: self.values.collection.name) {
            case .some(let changed): _ = try await self.take(changed, into: pages, actor)
            // Too much changed for one list to be of one moment: this one is shown, and read again.
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
    /// The list with other records in the place of some, made away from the caller's actor: a screen does not wait for it.
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
    /// What the app sees of the collection as values of your own: at once what is there, and then, whenever it changes,
    /// what is there then.
    ///
    /// ```swift
    /// for try await records in notes.values(as: Note.self) {
    ///     label.text = records.compactMap { try? $0.value.title }.joined(separator: "\n")
    /// }
    /// ```
    ///
    /// Whoever changes a record, the app, the server or a merge, and wherever it stands then (``RecordValue/phase``): the
    /// next list shows it. A list is what the store held at one moment, in the order of the UTF-8 bytes of the pks. Who is
    /// slow gets the newest list only, and what waits for it needs bounded room: the names of ``CollectionChange/limit``
    /// records. When more change between two looks, the collection is read anew as a whole, and while that goes on and on,
    /// as in a first sync, a list may show some records earlier than others; the next one mends it.
    ///
    /// A list has every record and so is for what fits on a screen or in memory; ``pages(of:as:dates:)`` and ``changes`` are
    /// for the rest. Each iteration begins anew. It ends when the client is closed or the task is cancelled.
    ///
    /// - Parameters:
    ///   - type: What a record is read as; `JSON.self` takes it as it is. One that does not fit is in the list: its
    ///     ``RecordValue/value`` throws.
    ///   - dates: How a `Date` is read.
    /// - Throws: While iterating, what the store throws; then it is over.
    public func values<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) -> some AsyncSequence<[RecordValue<Value>], TidemarkError> & Sendable {
        CollectionValues<Value>(collection: self, dates: dates)
    }

    /// What the app sees of the collection as JSON, now and whenever it changes; see ``values(as:dates:)``.
    public func values() -> some AsyncSequence<[RecordValue<JSON>], TidemarkError> & Sendable {
        self.values(as: JSON.self)
    }
}

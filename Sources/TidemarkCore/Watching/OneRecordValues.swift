public import TidemarkJSON
public import TidemarkRules

/// What the app sees of one record, now and whenever it changes; see ``SyncRecord/values(as:dates:)``.
struct OneRecordValues<Value: Decodable & Sendable>: AsyncSequence {
    let record: SyncRecord
    let dates: JSONDates

    /// Watches from here on: what changes before the first look is seen with it.
    func makeAsyncIterator() -> Iterator {
        // A name that may not be used is an error of the first look.
        try? self.record.collection.client.collections.use(self.record.collection.name, isNew: true)
        let watch = ChangeWatch()
        let topic = ChangeHub.Topic.record(
            CodePointString(self.record.pk), in: CodePointString(self.record.collection.name))
        return Iterator(
            values: self, subscription: self.record.client.hub.watch(topic, watch),
            raises: watch.signal.raises.makeAsyncIterator())
    }

    struct Iterator: AsyncIteratorProtocol {
        let values: OneRecordValues

        /// Nil at the end.
        var subscription: Subscription<ChangeWatch>?
        var raises: AsyncStream<Void>.Iterator

        /// What was seen last: nil within when there was no record, nil before the first look.
        private var last: RecordSnapshot??

        init(
            values: OneRecordValues, subscription: Subscription<ChangeWatch>, raises: AsyncStream<Void>.Iterator
        ) {
            self.values = values
            self.subscription = subscription
            self.raises = raises
        }

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TidemarkError) -> RecordValue<Value>?? {
            guard self.subscription != nil else { return nil }
            do throws(TidemarkError) {
                while !Task.isCancelled {
                    let record = try await self.values.record.snapshot()
                    if self.last != .some(record) {
                        self.last = .some(record)
                        return .some(
                            await [record].compactMap(\.self).values(as: Value.self, dates: self.values.dates).first)
                    }
                    guard await self.raises.next(isolation: actor) != nil else { break }
                }
                self.subscription = nil
                return nil
            } catch {
                self.subscription = nil
                guard error.code == .clientClosed else { throw error }
                return nil
            }
        }
    }
}

extension SyncRecord {
    /// What the app sees of the record as a value of your own: at once what is there, and then, whenever it changes, what
    /// is there then. Nil stands for a record that was deleted or is not known.
    ///
    /// ```swift
    /// for try await note in notes["42"].values(as: Note.self) {
    ///     label.text = try note?.value.title ?? "gone"
    /// }
    /// ```
    ///
    /// Whoever changes it, and wherever it stands then (``RecordValue/phase``): the next value shows it. Who is slow gets the
    /// newest value only, and nothing waits for it. Each iteration begins anew. It ends when the client is closed or the task
    /// is cancelled.
    ///
    /// - Parameters:
    ///   - type: What the record is read as; `JSON.self` takes it as it is. When it does not fit, ``RecordValue/value`` throws.
    ///   - dates: How a `Date` is read.
    /// - Throws: While iterating, what the store throws; then it is over.
    public func values<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) -> some AsyncSequence<RecordValue<Value>?, TidemarkError> & Sendable {
        OneRecordValues<Value>(record: self, dates: dates)
    }

    /// What the app sees of the record as JSON, now and whenever it changes; see ``values(as:dates:)``.
    public func values() -> some AsyncSequence<RecordValue<JSON>?, TidemarkError> & Sendable {
        self.values(as: JSON.self)
    }
}

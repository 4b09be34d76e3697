public import TidemarkJSON
public import TidemarkRules

/// The app's view of one record, now and whenever it changes; see ``SyncRecord/observe(as:dates:)``.
struct OneRecordValues<Value: Decodable & Sendable>: AsyncSequence {
    let record: SyncRecord
    let dates: JSONDates

    /// Watches from now on: the first value includes the changes before it.
    func makeAsyncIterator() -> Iterator {
        let topic = ChangeHub.Topic.record(
            CodePointString(self.record.pk), in: CodePointString(self.record.collection.name))
        return Iterator(values: self, reader: ChangeReader(topic, in: self.record.collection))
    }

    struct Iterator: AsyncIteratorProtocol {
        let values: OneRecordValues

        var reader: ChangeReader

        /// The last snapshot: an inner nil if there was no record, an outer nil before the first read.
        private var last: RecordSnapshot??

        init(values: OneRecordValues, reader: ChangeReader) {
            self.values = values
            self.reader = reader
        }

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TidemarkError) -> RecordValue<Value>?? {
            guard self.reader.watch != nil else { return nil }
            do throws(TidemarkError) {
                while !Task.isCancelled {
                    let record = try await self.values.record.snapshot()
                    if self.last != .some(record) {
                        self.last = .some(record)
                        return .some(
                            await [record].compactMap(\.self).values(as: Value.self, dates: self.values.dates).first)
                    }
                    guard await self.reader.wait(isolation: actor) else { break }
                }
                self.reader.end()
            } catch {
                try self.reader.end(by: error)
            }
            return nil
        }
    }
}

extension SyncRecord {
    /// The app's view of the record as a value of your own: the present value at once, and then the present value at each
    /// change. Nil if the record was deleted or is unknown.
    ///
    /// ```swift
    /// for try await note in notes["42"].observe(as: Note.self) {
    ///     label.text = try note?.value.title ?? "gone"
    /// }
    /// ```
    ///
    /// Each change of the record, and each new ``RecordValue/phase``, gives a new value. A slow reader gets only the newest
    /// value; no values are queued. Each iteration starts from the beginning. The sequence ends when the client is closed or the
    /// task is cancelled.
    ///
    /// - Parameters:
    ///   - type: The type that the record is read as; `JSON.self` for the content itself. If it does not fit,
    ///     ``RecordValue/value`` throws.
    ///   - dates: How a `Date` is read.
    /// - Throws: While iterating, the errors of the store; then the sequence ends.
    public func observe<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) -> some AsyncSequence<RecordValue<Value>?, TidemarkError> & Sendable {
        OneRecordValues<Value>(record: self, dates: dates)
    }

    /// The app's view of the record as JSON, now and whenever it changes; see ``observe(as:dates:)``.
    public func observe() -> some AsyncSequence<RecordValue<JSON>?, TidemarkError> & Sendable {
        self.observe(as: JSON.self)
    }
}

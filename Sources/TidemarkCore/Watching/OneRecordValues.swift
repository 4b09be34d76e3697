import TidemarkJSON
public import TidemarkRules

/// The app's view of one record, now and whenever it changes; see ``SyncRecord/observe()``.
struct OneRecordValues<Value: Decodable & Sendable>: AsyncSequence {
    let record: SyncRecord<Value>

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
        ) async throws(TidemarkError) -> ReadRecord<Value>?? {
            guard self.reader.watch != nil else { return nil }
            do throws(TidemarkError) {
                while !Task.isCancelled {
                    let source = self.values.record
                    let record = try await source.collection.client.whileAwake { () async throws(TidemarkError) in
                        try await source.snapshot()
                    }
                    if self.last != .some(record) {
                        self.last = .some(record)
                        let dates = self.values.record.collection.dates
                        return .some(await [record].compactMap(\.self).read(as: Value.self, dates: dates).first)
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
    /// The app's view of the record: the present value at once, and then the present value at each change. Nil if the record
    /// was deleted or is unknown.
    ///
    /// ```swift
    /// for try await note in notes["42"].observe() {
    ///     label.text = note?.title ?? "gone"
    /// }
    /// ```
    ///
    /// Each change of the record, and each new ``RecordValue/phase``, gives a new value. A slow reader gets only the newest
    /// value; no values are queued. Each iteration starts from the beginning. The sequence ends when the client is closed or the
    /// task is cancelled.
    ///
    /// - Throws: While iterating, ``TidemarkError/Code/invalidContent`` if the record does not fit the type, and the errors of the
    ///   store; then the sequence ends. ``RecordModel`` continues.
    public func observe() -> some AsyncSequence<RecordValue<Value>?, TidemarkError> & Sendable {
        ReadableRecord(reads: OneRecordValues(record: self))
    }
}

/// A sequence that an unreadable record ends.
private struct ReadableRecord<Value: Decodable & Sendable>: AsyncSequence {
    let reads: OneRecordValues<Value>

    func makeAsyncIterator() -> Iterator { Iterator(reads: self.reads.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        /// Nil at the end.
        var reads: OneRecordValues<Value>.Iterator?

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TidemarkError) -> RecordValue<Value>?? {
            guard let read = try await self.reads?.next(isolation: actor) else { return nil }
            do throws(TidemarkError) {
                return .some(try read?.get())
            } catch {
                self.reads = nil
                throw error
            }
        }
    }
}

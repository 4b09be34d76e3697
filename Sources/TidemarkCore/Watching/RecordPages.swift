import TidemarkMachine
public import TidemarkJSON
public import TidemarkRules

/// The records of a collection, page by page; see ``SyncCollection/pages(of:as:dates:)``.
struct RecordPages<Value: Decodable & Sendable>: AsyncSequence {
    let collection: SyncCollection
    let size: Int
    let dates: JSONDates

    func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

    struct Iterator: AsyncIteratorProtocol {
        let pages: RecordPages
        private var last: String?
        private var isOver = false

        init(pages: RecordPages) {
            self.pages = pages
        }

        mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TidemarkError) -> [RecordValue<Value>]? {
            guard !self.isOver, !Task.isCancelled else { return nil }
            let records = try await self.pages.collection.list(
                states: .visible, after: self.last, limit: self.pages.size)
            self.last = records.last?.pk
            self.isOver = records.count < self.pages.size
            return records.isEmpty ? nil : await records.values(as: Value.self, dates: self.pages.dates)
        }
    }
}

extension Set<SyncState> {
    /// The states of visible records: all except local deletions.
    static var visible: Self { Set(SyncState.allCases).subtracting([.deleted]) }
}

extension SyncCollection {
    /// The default size of a page of ``pages(of:as:dates:)``.
    public static let pageSize = 100

    /// The visible records of the collection as values of your own, in the order of the UTF-8 bytes of the pks, page by page:
    /// only one page is in memory at a time.
    ///
    /// ```swift
    /// for try await page in notes.pages(as: Note.self) {
    ///     for note in page { print(note.pk, try note.value.title) }
    /// }
    /// ```
    ///
    /// A change during the iteration is included only if its pk follows the page that was read last. A cancelled task gets no
    /// further page.
    ///
    /// - Parameters:
    ///   - size: The maximum number of records in a page; at least 1.
    ///   - type: The type that a record is read as; `JSON.self` for the content itself.
    ///   - dates: How a `Date` is read.
    public func pages<Value: Decodable & Sendable>(
        of size: Int = Self.pageSize, as type: Value.Type, dates: JSONDates = .rfc3339
    ) -> some AsyncSequence<[RecordValue<Value>], TidemarkError> & Sendable {
        precondition(size > 0, "A page of \(size) records has no end.")
        return RecordPages<Value>(collection: self, size: size, dates: dates)
    }

    /// Returns the visible records of the collection as values of your own, in the order of the UTF-8 bytes of the pks.
    ///
    /// ```swift
    /// let titles = try await notes.all(as: Note.self).map { try $0.value.title }
    /// ```
    ///
    /// The records are read in pages, and all of them are in memory at the end; for large collections use ``pages(of:as:dates:)``.
    ///
    /// - Parameters:
    ///   - type: The type that a record is read as; `JSON.self` for the content itself.
    ///   - dates: How a `Date` is read.
    /// - Returns: Every record, also if it does not fit the type: then its ``RecordValue/value`` throws.
    /// - Throws: ``TidemarkError/Code/cancelled``, and the errors of the store.
    public func all<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates = .rfc3339
    ) async throws(TidemarkError) -> [RecordValue<Value>] {
        var values: [RecordValue<Value>] = []
        var pages = RecordPages<Value>(collection: self, size: Self.pageSize, dates: dates).makeAsyncIterator()
        while let page = try await pages.next(isolation: #isolation) { values += page }
        guard !Task.isCancelled else { throw .cancelled("The reading of \(self.name)") }
        return values
    }
}

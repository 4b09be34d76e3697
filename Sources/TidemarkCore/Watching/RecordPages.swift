import TidemarkMachine
public import TidemarkRules

/// The records of a collection, page by page; see ``SyncCollection/pages(of:)``.
struct RecordPages<Value: Decodable & Sendable>: AsyncSequence {
    let collection: SyncCollection<Value>
    let size: Int

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
        ) async throws(TidemarkError) -> RecordPage<Value>? {
            guard !self.isOver, !Task.isCancelled else { return nil }
            let (pages, last) = (self.pages, self.last)
            let records = try await pages.collection.client.whileAwake { () async throws(TidemarkError) in
                try await pages.collection.list(states: .visible, after: last, limit: pages.size)
            }
            self.last = records.last?.pk
            self.isOver = records.count < self.pages.size
            guard !records.isEmpty else { return nil }
            return RecordPage(
                await records.read(as: Value.self, dates: self.pages.collection.dates), next: nil,
                examined: records.count)
        }
    }
}

extension Set<SyncState> {
    /// The states of visible records: all except local deletions.
    static var visible: Self { Set(SyncState.allCases).subtracting([.deleted]) }
}

extension SyncCollection {
    /// The default size of a page of ``pages(of:)``.
    public static var pageSize: Int { 100 }

    /// The visible records of the collection, in the order of the UTF-8 bytes of the pks, page by page: only one page is in memory
    /// at a time.
    ///
    /// ```swift
    /// for try await page in notes.pages() {
    ///     for note in page.records { print(note.pk, note.title) }
    /// }
    /// ```
    ///
    /// A change during the iteration is included only if its pk follows the page that was read last. A cancelled task gets no
    /// further page.
    ///
    /// - Parameter size: The maximum number of records in a page, the unreadable ones included; at least 1.
    public func pages(
        of size: Int = Self.pageSize
    ) -> some AsyncSequence<RecordPage<Value>, TidemarkError> & Sendable {
        precondition(size > 0, "A page of \(size) records has no end.")
        return RecordPages(collection: self, size: size)
    }

    /// Returns the visible records of the collection, in the order of the UTF-8 bytes of the pks.
    ///
    /// ```swift
    /// let titles = try await notes.all().records.map(\.title)
    /// ```
    ///
    /// The records are read in pages, and all of them are in memory at the end; for large collections use ``pages(of:)``.
    ///
    /// - Returns: Every record, as a page without a next one.
    /// - Throws: ``TidemarkError/Code/cancelled``, and the errors of the store.
    public func all() async throws(TidemarkError) -> RecordPage<Value> {
        var (records, unreadable): ([RecordValue<Value>], [UnreadableRecord]) = ([], [])
        var pages = RecordPages(collection: self, size: Self.pageSize).makeAsyncIterator()
        while let page = try await pages.next(isolation: #isolation) {
            records += page.records
            unreadable += page.unreadable
        }
        guard !Task.isCancelled else { throw .cancelled("The reading of \(self.name)") }
        return RecordPage(records: records, unreadable: unreadable, examined: records.count + unreadable.count)
    }
}

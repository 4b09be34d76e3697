public import TidemarkServer

extension PostgresServerStorage {
    /// The number of edits of a transaction whose rows and answers are read in advance; those of other edits are read when
    /// needed.
    private static let editsInAdvance = 512
    /// The number of rows that are read in advance for the page of one POST.
    private static let rowsInAdvance = 17
    private static let sizes = PrefetchSizes(row: 4 << 10, page: 64 << 10)

    /// Locks the existing feeds, and reads what the POSTs need of them: everything in the round trip that begins the transaction.
    ///
    /// The feeds are locked in the order of their names, so two processes that need the same two feeds can't deadlock. The
    /// database carries out the statements one after the other, and in a transaction that is READ COMMITTED each of them sees
    /// the data that is committed when it begins. So those after the locks see every commit that a lock has waited for, and
    /// until the end of this transaction no other one changes what they read (W1, W3). They name a feed by its account and
    /// collection, since its number is not known when they are sent. A feed that another process makes between two of the
    /// statements is not locked: then the results for it are not used.
    public func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError) {
        var wanted: [FeedName: Prefetch] = [:]
        var room = Self.editsInAdvance
        for post in posts {
            let name = FeedName(account: post.account, collection: post.collection)
            let edits = post.edits(limit: room)
            room -= edits.count
            let page = post.page.map {
                ExpectedPage(position: $0.position, rows: min($0.rows, Self.rowsInAdvance))
            }
            wanted[name, default: Prefetch(of: name, Self.sizes)].add(edits, page)
        }
        let names = wanted.keys.sorted()
        let lock = waits ? Self.lockFeed : Self.lockFeedAtOnce
        let locks = names.map { PostgresCall(lock, $0.values) }
        let prefetches = names.compactMap { wanted[$0] }
        let results = try self.session.run(locks + [PostgresCall(Self.presentRun)] + prefetches.flatMap(\.calls))
        try self.note(run: results[names.count])
        var rest = results.dropFirst(names.count + 1)
        for (index, prefetch) in prefetches.enumerated() {
            let found = rest.prefix(prefetch.calls.count)
            rest = rest.dropFirst(prefetch.calls.count)
            guard results[index].count > 0 else { continue }
            let feed = try self.rowReader.feed(results[index], 0, of: names[index].accountText)
            self.writing?.hold(feed, as: names[index])
            self.writing?.prefetched[feed.id] = try prefetch.feed(feed, from: Array(found))
        }
    }
}

/// POSTs that share one durable transaction.
///
/// Each is decided as if it came alone, after those before it in its feed. Where the storage fails at one of them, nothing of any
/// is kept, and each is carried out in a transaction of its own: so the others do not go down with it. Where the commit itself
/// fails, nobody knows of any, and all are told the failure. What the database only broke off, with nothing of it done, is tried
/// again.
struct PostGroup {
    private let storage: any ServerStorage
    private let limits: ServerLimits
    private let now: () -> Int64

    init(in storage: any ServerStorage, limits: ServerLimits, now: @escaping () -> Int64) {
        self.storage = storage
        self.limits = limits
        self.now = now
    }

    /// How often what was broken off is tried again: a database that restarts goes on refusing, and the client then waits.
    static let tries = 2

    /// What became of one of them.
    typealias Outcome = Result<Result<Post.Done, ServerRefusal>, ServerStorageError>

    /// Carries out the first of `posts`, and as many of those behind it as their answers leave room for.
    ///
    /// - Parameters:
    ///   - posts: In their order; there is one at least.
    ///   - tries: How often what was broken off may be tried again.
    ///   - waits: Whether to wait for what somebody else holds.
    ///   - report: Hears each failure once, however many it met.
    func commit(
        _ posts: ArraySlice<Post>, tries: Int = Self.tries, waits: Bool = true, report: (ServerStorageError) -> Void
    ) -> [Outcome] {
        var answers: [Outcome] = []
        var (hasBegun, isDecided) = (false, false)
        do throws(ServerStorageError) {
            try self.storage.transaction { () throws(ServerStorageError) in
                try self.storage.expect(posts.map(\.expected), waits: waits)
                hasBegun = true
                var weight = 0
                for post in posts {
                    guard answers.isEmpty || weight < self.limits.groupBytes else { break }
                    let answer = try post.carryOut(in: self.storage, at: self.now())
                    try self.storage.settle()
                    weight += (try? answer.get())?.answer.count ?? 0
                    answers.append(.success(answer))
                }
                isDecided = true
            }
            return answers
        } catch {
            guard error.code != .interrupted || tries == 0 else {
                return self.commit(posts, tries: tries - 1, waits: waits, report: report)
            }
            guard hasBegun else { return self.commitEachFeed(of: posts, after: error, report: report) }
            let tried = posts.prefix(isDecided ? answers.count : answers.count + 1)
            guard isDecided || tried.count == 1 else { return tried.flatMap { self.commit([$0], report: report) } }
            report(error)
            return tried.map { _ in .failure(error) }
        }
    }

    /// Carries out what is for one feed after what is for another: where somebody else holds a feed, those of the others need not
    /// fail with it. All have waited for it together, and none waits again: else they would, for one held feed after the other.
    ///
    /// - Parameter error: Why none of them could begin.
    private func commitEachFeed(
        of posts: ArraySlice<Post>, after error: ServerStorageError, report: (ServerStorageError) -> Void
    ) -> [Outcome] {
        let feeds = Dictionary(grouping: posts.indices) {
            [Array(posts[$0].account.utf8), Array(posts[$0].collection.utf8)]
        }
        guard feeds.count > 1 else {
            report(error)
            return posts.map { _ in .failure(error) }
        }
        var outcomes: [Int: Outcome] = [:]
        for indices in feeds.values.sorted(by: { $0[0] < $1[0] }) {
            var rest = indices[...]
            while !rest.isEmpty {
                for outcome in self.commit(rest.map { posts[$0] }[...], waits: false, report: report) {
                    outcomes[rest.removeFirst()] = outcome
                }
            }
        }
        return posts.indices.compactMap { outcomes[$0] }
    }
}

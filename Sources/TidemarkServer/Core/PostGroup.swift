/// POSTs that share one durable transaction.
///
/// Each is decided as if it came alone, after those before it in its feed. If the storage fails at one of them, nothing of the
/// group is kept, and each is carried out in a separate transaction, so that the others do not fail as well. The same holds for
/// a write that the storage delayed until the commit: it need not ask the storage after each POST whether its writes succeeded.
/// If the commit itself fails, the outcome of all is unknown, and all get the failure. A transaction that the database only interrupted, with
/// nothing done, is retried.
struct PostGroup {
    private let storage: any ServerStorage
    private let limits: ServerLimits
    private let now: () -> Int64

    init(in storage: any ServerStorage, limits: ServerLimits, now: @escaping () -> Int64) {
        self.storage = storage
        self.limits = limits
        self.now = now
    }

    /// The number of retries of an interrupted transaction. A restarting database continues to refuse, so the client waits
    /// then.
    static let tries = 2

    /// The outcome of one of them.
    typealias Outcome = Result<Result<Post.Done, ServerRefusal>, ServerStorageError>

    /// Carries out the first of `posts`, and as many of the following ones as the size limit of their answers allows.
    ///
    /// - Parameters:
    ///   - posts: The POSTs in order; at least one.
    ///   - tries: The number of retries of an interrupted transaction.
    ///   - waits: Whether to wait for locks of other processes.
    ///   - report: Gets each failure once, even if several POSTs failed with it.
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
            guard isDecided && !error.isBeforeCommit || tried.count == 1 else {
                return tried.flatMap { self.commit([$0], report: report) }
            }
            report(error)
            return tried.map { _ in .failure(error) }
        }
    }

    /// Carries out the POSTs of one feed after those of another: if another process holds one feed, the POSTs of other feeds
    /// must not fail. None waits for a lock again: otherwise the waits would add up.
    ///
    /// - Parameter error: Why the common transaction could not begin.
    private func commitEachFeed(
        of posts: ArraySlice<Post>, after error: ServerStorageError, report: (ServerStorageError) -> Void
    ) -> [Outcome] {
        let feeds = Dictionary(grouping: posts.indices) {
            [Array(posts[$0].account.utf8), Array(posts[$0].collection.utf8)]
        }
        guard feeds.count > 1 else {
            // What one POST needs may be damaged, and be read in advance. A lock or a missing database is the same for each.
            if posts.count > 1, error.code == .corrupt || error.code == .failed {
                return posts.flatMap { self.commit([$0], waits: false, report: report) }
            }
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

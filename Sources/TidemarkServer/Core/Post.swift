import TidemarkJSON

/// A POST that was understood, and is still to be carried out (SPEC §5).
struct Post {
    /// What was made of it, once its transaction is committed.
    struct Done: Sendable {
        /// The ANSWER.
        let answer: [UInt8]
        /// What became of the edits.
        let tally: EditTally
        /// The feed, where it has moved, and the history that it is of. That is read in the transaction: after the commit it
        /// would be read beside others, who may take long, and the answer would wait for them.
        let moved: (feed: ServerFeed, account: String, collection: String, epoch: String)?
    }

    let account: String
    let collection: String
    private let query: FeedQuery
    private let edits: [JSON]
    private let limits: ServerLimits

    init(
        to collection: String, account: String, request: ServerRequest, limits: ServerLimits
    ) throws(ServerRefusal) {
        self.account = account
        self.collection = collection
        self.limits = limits
        self.query = try FeedQuery(request, account: account, collection: collection, limits: limits)
        self.edits = try PostBody.edits(request.body, limits: limits)
    }

    /// What a storage is told of it before.
    var expected: ExpectedPost {
        ExpectedPost(account: self.account, collection: self.collection, sources: self.edits, limits: self.limits)
    }

    /// The edits one after the other, each whole or not at all, then the feed from the watermark; all in the transaction that
    /// is open. A refusal leaves nothing behind.
    func carryOut(
        in storage: any ServerStorage, at now: Int64
    ) throws(ServerStorageError) -> Result<Done, ServerRefusal> {
        // A feed is made with the first thing to keep in it: an empty POST to any name leaves nothing behind.
        let feed = try storage.feed(account: self.account, collection: self.collection) ?? .empty
        switch try self.query.position(in: feed, of: storage) {
        case .failure(let refusal):
            return .failure(refusal)
        case .success(let position):
            var batch = EditBatch(storage, feed: feed, now: now, limits: self.limits)
            if !self.edits.isEmpty, feed.id == 0 {
                guard try !storage.isRemoved(account: self.account) else { return .failure(ServerCore.unknownToken) }
                try batch.openFeed(account: self.account, collection: self.collection)
            }
            for edit in self.edits {
                try batch.take(edit)
            }
            let answer = try self.query.answer(
                results: batch.results, answered: batch.answered, after: position, in: batch.feed, of: storage)
            let hasMoved = batch.feed.last != feed.last
            return .success(
                Done(
                    answer: answer, tally: batch.tally,
                    moved: hasMoved ? (batch.feed, self.account, self.collection, try storage.epoch()) : nil))
        }
    }
}

import TidemarkJSON

/// A POST that was parsed and is not yet carried out (Contract §5).
struct Post {
    /// The result of a POST whose transaction was committed.
    struct Done: Sendable {
        /// The ANSWER.
        let answer: [UInt8]
        /// The outcomes of the edits.
        let tally: EditTally
        /// The feed, if it has changed, and the name of its history, which is read in the transaction: a read after the commit
        /// could wait for other readers, and the answer with it.
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

    /// The announcement of this POST to the storage.
    var expected: ExpectedPost {
        ExpectedPost(
            account: self.account, collection: self.collection, page: self.query.expected, sources: self.edits,
            limits: self.limits)
    }

    /// Carries out the edits in order, each whole or not at all, then reads the feed from the cursor; all in the open
    /// transaction. A refusal changes nothing.
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

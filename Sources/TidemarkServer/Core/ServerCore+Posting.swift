import TidemarkJSON

extension ServerCore {
    /// POST to a collection: the edits one after the other, each whole or not at all, then the feed from the watermark.
    func post(
        to collection: String, account: String, request: ServerRequest
    ) throws(ServerRefusal) -> ServerResponse {
        let query = try FeedQuery(request, account: account, collection: collection, limits: self.limits)
        let edits = try PostBody.edits(request.body, limits: self.limits)
        let outcome = try self.withStorage { (storage, now) throws(ServerStorageError) in
            try storage.transaction { () throws(ServerStorageError) -> Result<[UInt8], ServerRefusal> in
                // A feed is made with the first thing to keep in it: an empty POST to any name leaves nothing behind.
                let feed = try storage.feed(account: account, collection: collection) ?? .empty
                switch try query.position(in: feed, of: storage) {
                case .failure(let refusal):
                    return .failure(refusal)
                case .success(let position):
                    var batch = EditBatch(storage, feed: feed, now: now, limits: self.limits)
                    if !edits.isEmpty { try batch.openFeed(account: account, collection: collection) }
                    for edit in edits {
                        try batch.take(edit)
                    }
                    let page = try FeedPage(
                        batch.feed, in: storage, after: position, limit: query.limit, answered: batch.answered)
                    return .success(
                        try query.answer(results: batch.results, page: page, feed: batch.feed, of: storage))
                }
            }
        }
        return .json(try outcome.get())
    }
}

internal import TidemarkJSON

extension ServerCore {
    /// POST to a collection: the edits one after the other, each whole or not at all, then the feed from the watermark.
    func post(
        to collection: String, account: String, request: ServerRequest
    ) throws(ServerRefusal) -> ServerResponse {
        let query = try FeedQuery(request, account: account, collection: collection, limits: self.limits)
        let edits = try PostBody.edits(request.body, limits: self.limits)
        let outcome = try self.withStorage { (storage, now) throws(ServerStorageError) in
            try storage.transaction { () throws(ServerStorageError) -> Result<[UInt8], ServerRefusal> in
                let epoch = try storage.epoch()
                let feed = try storage.openFeed(account: account, collection: collection)
                switch query.position(in: feed, epoch: epoch) {
                case .failure(let refusal):
                    return .failure(refusal)
                case .success(let position):
                    var batch = EditBatch(storage, feed: feed, now: now, limits: self.limits)
                    for edit in edits {
                        try batch.take(edit)
                    }
                    let page = try FeedPage(
                        batch.feed, in: storage, after: position, limit: query.limit, answered: batch.answered)
                    return .success(query.answer(results: batch.results, page: page, feed: batch.feed, epoch: epoch))
                }
            }
        }
        return .json(try outcome.get())
    }
}

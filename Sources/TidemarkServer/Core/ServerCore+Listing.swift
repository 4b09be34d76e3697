import TidemarkJSON

extension ServerCore {
    /// GET of a collection: what is newer than the watermark, oldest first.
    func list(
        _ collection: String, account: String, request: ServerRequest
    ) throws(ServerRefusal) -> ServerResponse {
        let query = try FeedQuery(request, account: account, collection: collection, limits: self.limits)
        let outcome = try self.withReader { (storage) throws(ServerStorageError) in
            try storage.snapshot { () throws(ServerStorageError) -> Result<[UInt8], ServerRefusal> in
                let feed = try storage.feed(account: account, collection: collection) ?? .empty
                switch try query.position(in: feed, of: storage) {
                case .failure(let refusal):
                    return .failure(refusal)
                case .success(let position):
                    let page = try FeedPage(
                        feed, in: storage, after: position, limit: query.limit, answered: AnsweredVersions())
                    return .success(try query.answer(results: nil, page: page, feed: feed, of: storage))
                }
            }
        }
        return .json(try outcome.get())
    }

    /// GET of one record: the bare ITEM; 410 where a tombstone is, 404 where nothing is known.
    func item(_ pk: String, collection: String, account: String) throws(ServerRefusal) -> ServerResponse {
        let row = try self.withReader { (storage) throws(ServerStorageError) in
            try storage.snapshot { () throws(ServerStorageError) -> ServerRow? in
                guard let feed = try storage.feed(account: account, collection: collection) else { return nil }
                return try storage.row(pk, in: feed)
            }
        }
        guard let row else { throw ServerRefusal(404, .noSuchRecord, "there is no record “\(pk)” in “\(collection)”") }
        guard row.data != nil else {
            throw ServerRefusal(410, .deleted, "the record “\(pk)” of “\(collection)” was deleted")
        }
        var writer = JSONWriter()
        writer.item(row)
        return .json(writer.bytes)
    }
}

extension ServerFeed {
    /// The feed of a collection to which nothing was ever posted.
    static let empty = ServerFeed(id: 0, last: 0, horizon: 0, purges: 0)
}

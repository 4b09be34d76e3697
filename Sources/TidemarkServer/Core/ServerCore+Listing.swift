import TidemarkJSON

extension ServerCore {
    /// GET of a collection: the rows that are newer than the cursor, oldest first.
    func list(
        _ collection: String, account: String, request: ServerRequest
    ) throws(ServerRefusal) -> ServerResponse {
        let query = try FeedQuery(request, account: account, collection: collection, limits: self.limits)
        let expected = ExpectedRead(account: account, collection: collection, page: query.expected)
        let outcome = try self.withReader { (storage) throws(ServerStorageError) in
            try storage.snapshot(expecting: expected) {
                () throws(ServerStorageError) -> Result<[UInt8], ServerRefusal> in
                let feed = try storage.feed(account: account, collection: collection) ?? .empty
                switch try query.position(in: feed, of: storage) {
                case .failure(let refusal):
                    return .failure(refusal)
                case .success(let position):
                    return .success(try query.answer(after: position, in: feed, of: storage))
                }
            }
        }
        return .json(try outcome.get())
    }

    /// GET of one record: the bare ITEM; 410 if it was deleted, 404 if it is unknown.
    func item(_ pk: String, collection: String, account: String) throws(ServerRefusal) -> ServerResponse {
        let expected = ExpectedRead(account: account, collection: collection, pk: pk)
        let row = try self.withReader { (storage) throws(ServerStorageError) in
            try storage.snapshot(expecting: expected) { () throws(ServerStorageError) -> ServerRow? in
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

extension ServerCore {
    /// GET of `/v1/`: the collections of an account to which something was posted, with their current cursors (Contract §10).
    func listCollections(account: String) throws(ServerRefusal) -> ServerResponse {
        let limit = self.limits.listedCollections
        let body = try self.withReader { (storage) throws(ServerStorageError) in
            try storage.snapshot { () throws(ServerStorageError) -> [UInt8] in
                let feeds = try storage.feeds(account: account, limit: limit + 1)
                // Afterwards, since the first read may connect anew, to another history.
                let epoch = try storage.epoch()
                let rows = feeds.prefix(limit).map { collection, feed in
                    (hint: ServerHint(feed, account: account, collection: collection, epoch: epoch), count: feed.rows)
                }
                return Self.list(rows, hasMore: feeds.count > limit, epoch: epoch, account: account)
            }
        }
        return .json(body)
    }

    private static func list(
        _ rows: [(hint: ServerHint, count: Int64)], hasMore: Bool, epoch: String, account: String
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { list in
            list.key("collections")
            list.array { collections in
                for (hint, count) in rows {
                    collections.object { collection in
                        collection.member("name", hint.collection)
                        collection.member("max_updated_at", hint.cursor)
                        collection.member("count", count)
                    }
                }
            }
            list.member("more", hasMore)
            list.member("epoch", epoch)
            list.member("account", account)
            list.member("wire", 1)
            list.member("level", "full")
        }
        return writer.bytes
    }
}

extension ServerFeed {
    /// The feed of a collection to which nothing was ever posted.
    static let empty = ServerFeed(id: 0, account: "", last: 0, horizon: 0, purges: 0)
}

import TidemarkJSON

extension ServerCore {
    /// Answers one request as ``handle(_:)`` does, except that a request for a stream of events gets one (Contract §10).
    ///
    /// The token is checked when a watch is opened, and by ``reviewWatches()``.
    public func answer(_ request: ServerRequest) -> ServerAnswer {
        guard RequestKind(request) == .hints else { return .whole(self.handle(request)) }
        do throws(ServerRefusal) {
            let (account, route) = try self.route(of: request)
            guard case .events = route, request.method == "GET" else { return .whole(self.handle(request)) }
            try self.admit(account)
            return .events(try self.watch(account: account, request: request))
        } catch {
            return .whole(error.response)
        }
    }

    /// Sends the current state of a feed to the watches of its collection, after a commit elsewhere, such as by another process
    /// on the same database. Commits through this core are announced automatically.
    ///
    /// From any thread, without blocking for long. An announcement that is repeated, late, or out of order has no effect: a
    /// watch accepts only a higher `last` than before. After a missed announcement readers keep waiting, so a caller that may
    /// have missed some must announce each feed in its current state.
    ///
    /// - Parameters:
    ///   - feed: The feed after the commit; `id` and `horizon` are not used.
    ///   - account: The ``ServerAccount/id`` of the account.
    ///   - collection: The collection's name.
    public func announce(_ feed: ServerFeed, account: String, collection: String) {
        guard self.board.isWatched(account: account, collection: collection) else { return }
        // A storage that can't name its history was reported and answers no request: a hint would be useless.
        guard let epoch = try? self.withReader({ (storage) throws(ServerStorageError) in try storage.epoch() })
        else { return }
        self.announce(feed, account: account, collection: collection, epoch: epoch)
    }

    /// Announces a feed of a known history: it waits for nothing.
    func announce(_ feed: ServerFeed, account: String, collection: String, epoch: String) {
        guard self.board.isWatched(account: account, collection: collection) else { return }
        self.board.announce(
            ServerHint(feed, account: account, collection: collection, epoch: epoch), account: account)
    }

    /// Sends the current state of all watched feeds to all watches, in case commits elsewhere were missed.
    ///
    /// It reads the feeds of each watched account, so it should be called only occasionally.
    public func announceAll() {
        for account in self.board.watchedAccounts {
            let limit = self.limits.listedCollections
            let found = try? self.withReader { (storage) throws(ServerStorageError) in
                try storage.snapshot { () throws(ServerStorageError) in
                    (feeds: try storage.feeds(account: account, limit: limit), epoch: try storage.epoch())
                }
            }
            // A storage that fails was reported; the next call is soon.
            guard let found else { return }
            for (collection, feed) in found.feeds {
                self.announce(feed, account: account, collection: collection, epoch: found.epoch)
            }
        }
    }

    /// Ends all watches of an account after a change of its access: a client that still has access reconnects.
    func endWatches(of account: String) { self.board.end(account: account) }

    /// Ends the watches whose token has expired or was revoked, perhaps by another process. The program that runs the server
    /// calls this periodically.
    public func reviewWatches() {
        let watches = self.board.watchesByToken
        // A storage that fails was reported; the next call is soon.
        guard !watches.isEmpty, let spent = try? self.spent(Array(watches.keys)) else { return }
        for digest in spent { watches[digest]?.forEach { $0.end() } }
    }

    /// How many watches are open.
    public var openWatches: Int { self.board.count }

    /// The current state of each collection that a request would watch, as a stream of events that ends at once.
    func hintOnce(account: String, request: ServerRequest) throws(ServerRefusal) -> ServerResponse {
        let query = try WatchQuery(request, limits: self.limits)
        let hints = try self.hints(account: account, collections: query.collections)
        return ServerResponse(status: 200, headers: ServerWatch.headers, body: hints.flatMap(\.event))
    }

    private func watch(account: String, request: ServerRequest) throws(ServerRefusal) -> ServerWatch {
        let query = try WatchQuery(request, limits: self.limits)
        // The watch is registered first: later commits are announced to it, and earlier ones are read below.
        let digest = try self.digestOfToken(of: request)
        let watch = try self.board.open(account: account, collections: query.collections, token: digest)
        do throws(ServerRefusal) {
            // If the token was revoked meanwhile, there was no watch yet that the revocation could end.
            if let digest { try self.checkAgain(digest) }
            for hint in try self.hints(account: account, collections: query.collections) { watch.offer(hint) }
            // There was no room for all names, or the watch was ended already: the client may succeed when it reconnects.
            if watch.isOver { throw .tooManyWatches }
        } catch {
            watch.end()
            throw error
        }
        return watch
    }

    private func hints(account: String, collections: [String]?) throws(ServerRefusal) -> [ServerHint] {
        let hints = try self.withReader { (storage) throws(ServerStorageError) in
            try storage.snapshot { () throws(ServerStorageError) -> [ServerHint] in
                guard let collections else {
                    let feeds = try storage.feeds(account: account, limit: self.limits.watchedCollections + 1)
                    let epoch = try storage.epoch()
                    return feeds.map {
                        ServerHint($0.feed, account: account, collection: $0.collection, epoch: epoch)
                    }
                }
                let feeds = try self.feeds(of: account, named: collections, in: storage)
                let epoch = try storage.epoch()
                return zip(collections, feeds).map {
                    ServerHint($1, account: account, collection: $0, epoch: epoch)
                }
            }
        }
        guard hints.count <= self.limits.watchedCollections else { throw .tooManyCollections(hints.count, self.limits) }
        return hints
    }

    /// Up to this number of collections, each feed is read separately.
    private static let fewCollections = 8

    /// The feeds of some collections, in their order. For many collections it reads all feeds of the account at once, unless
    /// they exceed the limit of a list.
    private func feeds(
        of account: String, named collections: [String], in storage: any ServerReader
    ) throws(ServerStorageError) -> [ServerFeed] {
        var known: [CodePointString: ServerFeed]?
        if collections.count > Self.fewCollections {
            let all = try storage.feeds(account: account, limit: self.limits.listedCollections + 1)
            if all.count <= self.limits.listedCollections {
                known = Dictionary(uniqueKeysWithValues: all.map { (CodePointString($0.collection), $0.feed) })
            }
        }
        var feeds: [ServerFeed] = []
        for collection in collections {
            let feed =
                if let known { known[CodePointString(collection)] } else {
                    try storage.feed(account: account, collection: collection)
                }
            feeds.append(feed ?? .empty)
        }
        return feeds
    }
}

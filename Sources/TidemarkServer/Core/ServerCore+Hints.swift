import TidemarkJSON

extension ServerCore {
    /// Answers one request as ``handle(_:)`` does, but one that asks for a stream of events with that (SPEC §10).
    ///
    /// Who may watch is looked at when a watch is opened, and with ``reviewWatches()``.
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

    /// Tells whoever watches a collection how its feed stands: for what was committed elsewhere, as by another process on the same
    /// database. What is committed here is told by itself.
    ///
    /// From any thread, and it returns soon. An announcement that is repeated, late, or out of order does nothing: a watch
    /// takes one whose `last` is higher than all it was told. One that is left out leaves readers waiting, so that whoever may
    /// have missed some announces each feed as it stands then.
    ///
    /// - Parameters:
    ///   - feed: The feed as it stands after a commit; `id` and `horizon` are not looked at.
    ///   - account: Whose it is, as the storage has it.
    ///   - collection: Its name.
    public func announce(_ feed: ServerFeed, account: String, collection: String) {
        guard self.board.isWatched(account: account, collection: collection) else { return }
        // A storage that can't name its history is reported, and answers nobody: a hint is of no use then.
        guard let epoch = try? self.withReader({ (storage) throws(ServerStorageError) in try storage.epoch() })
        else { return }
        self.announce(feed, account: account, collection: collection, epoch: epoch)
    }

    /// The same, where the history is known: nothing is waited for.
    func announce(_ feed: ServerFeed, account: String, collection: String, epoch: String) {
        guard self.board.isWatched(account: account, collection: collection) else { return }
        self.board.announce(
            ServerHint(feed, account: account, collection: collection, epoch: epoch), account: account)
    }

    /// Tells everybody who watches how the feeds stand now: for who may have missed what was committed elsewhere.
    ///
    /// It reads the feeds of each account that is watched, so it is for now and then.
    public func announceAll() {
        for account in self.board.watchedAccounts {
            let limit = self.limits.listedCollections
            let found = try? self.withReader { (storage) throws(ServerStorageError) in
                try storage.snapshot { () throws(ServerStorageError) in
                    (epoch: try storage.epoch(), feeds: try storage.feeds(account: account, limit: limit))
                }
            }
            // A storage that fails was reported; the next time is soon.
            guard let found else { return }
            for (collection, feed) in found.feeds {
                self.announce(feed, account: account, collection: collection, epoch: found.epoch)
            }
        }
    }

    /// Ends all watches of an account, since who may come has changed: whoever still may connects again.
    func endWatches(of account: String) { self.board.end(account: account) }

    /// Ends the watches of those whose token has expired or was revoked, by another process perhaps. Whoever runs the server calls
    /// this now and then.
    public func reviewWatches() {
        let watches = self.board.watchesByToken
        // A storage that fails was reported; the next time is soon.
        guard !watches.isEmpty, let spent = try? self.spent(Array(watches.keys)) else { return }
        for digest in spent { watches[digest]?.forEach { $0.end() } }
    }

    /// How many watches are open.
    public var openWatches: Int { self.board.count }

    /// How each collection stands that a request would watch, as a stream of events that ends at once: for who can't stay.
    func hintOnce(account: String, request: ServerRequest) throws(ServerRefusal) -> ServerResponse {
        let query = try WatchQuery(request, limits: self.limits)
        let hints = try self.hints(account: account, collections: query.collections)
        return ServerResponse(status: 200, headers: ServerWatch.headers, body: hints.flatMap(\.event))
    }

    private func watch(account: String, request: ServerRequest) throws(ServerRefusal) -> ServerWatch {
        let query = try WatchQuery(request, limits: self.limits)
        // First of all it is on the board: what is committed from here on is told, and the rest is read.
        let digest = try self.digestOfToken(of: request)
        let watch = try self.board.open(account: account, collections: query.collections, token: digest)
        do throws(ServerRefusal) {
            // A token that was revoked while this began has met no watch to end.
            if let digest { try self.checkAgain(digest) }
            for hint in try self.hints(account: account, collections: query.collections) { watch.offer(hint) }
            // There was no room for the names of all, or it was ended already: who connects again may have more luck.
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
                let epoch = try storage.epoch()
                guard let collections else {
                    return try storage.feeds(account: account, limit: self.limits.watchedCollections + 1).map {
                        ServerHint($0.feed, account: account, collection: $0.collection, epoch: epoch)
                    }
                }
                let feeds = try self.feeds(of: account, named: collections, in: storage)
                return zip(collections, feeds).map {
                    ServerHint($1, account: account, collection: $0, epoch: epoch)
                }
            }
        }
        guard hints.count <= self.limits.watchedCollections else { throw .tooManyCollections(hints.count, self.limits) }
        return hints
    }

    /// Of so many collections each feed is asked for by itself.
    private static let fewCollections = 8

    /// The feeds of some collections, in their order: of many with one look at all that the account has, unless these are more
    /// than a list has.
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

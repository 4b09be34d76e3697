package import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

/// Compares the records of a store with those of its server, and changes neither.
///
/// A second client, whose store is empty, reads a collection as a new device would. Then each record that is SYNCD in one of the two
/// stores is looked up in the other. What need not agree is left out:
///
/// - A record with local changes. They are counted.
/// - A record that the server has changed since the store was last in sync: the feed is read from the store's own cursor as well,
///   and the records in it are not pulled yet. A server that only lists its records has no such feed: there, only records of the
///   same version are compared.
/// - A malformed item of the server that is quarantined in one of the two stores.
/// - What the server may change: over a server that returns values in another form, values are compared; over one that rounds
///   them, only versions; and members of the server are not compared.
///
/// While the app and other devices write, a store that is read at one moment and a feed that is read at another can differ for
/// further reasons, as by a row that becomes visible late. So differences are looked for twice, some seconds apart, in two states of
/// the store, and only those count that are the same in both.
package struct ServerCheck: Sendable {
    private let fresh: SyncClient
    private let remote: any Remote
    private let waitBetween: @Sendable () async throws -> Void
    private let openStore: @Sendable () async throws -> SyncClient

    /// Prepares a comparison.
    ///
    /// - Parameters:
    ///   - remote: The server.
    ///   - empty: An empty store, for what the server has.
    ///   - time: The clock.
    ///   - waitBetween: Waits between two readings; nil for ``pause`` on the clock.
    ///   - openStore: Opens the store in its present state; called once for each reading. The client is closed after it.
    /// - Throws: The errors of the empty store.
    package init(
        of remote: any Remote, into empty: sending some RecordStore, time: any TimeSource,
        waitBetween: (@Sendable () async throws -> Void)? = nil,
        openStore: @escaping @Sendable () async throws -> SyncClient
    ) throws(TidemarkError) {
        var configuration = SyncConfiguration(accepts: Set(SyncGuarantee.allCases))
        configuration.acceptsUntranslatedReferences = true
        self.fresh = try SyncClient(
            store: empty, remote: remote, configuration: configuration, time: time, seed: 0)
        self.remote = remote
        self.waitBetween = waitBetween ?? { try await time.sleep(until: time.now + Self.pause) }
        self.openStore = openStore
    }

    /// The usual time between two readings.
    package static let pause = Duration.seconds(10)

    /// The maximum number of differences of a collection.
    package static let differenceLimit = 1_000

    /// How many records may not be pulled yet: with more the store has to sync first.
    package static let notPulledLimit = 100_000

    /// How many records are looked up at once.
    private static let pageSize = 200

    /// Compares collections, twice those that differ.
    ///
    /// - Returns: The result of each, in the order of `collections`.
    /// - Throws: The errors of both stores and of `openStore`.
    package func run(_ collections: [String]) async throws -> [Outcome] {
        var outcomes = try await self.read(collections)
        let differing = outcomes.compactMap(\.differing)
        guard !differing.isEmpty else { return outcomes }
        try await self.waitBetween()
        for result in differing { try await self.fresh[result.collection].forget() }
        let second = try await self.read(differing.map(\.collection))
        for (first, outcome) in zip(differing, second) {
            guard let index = collections.firstIndex(of: first.collection) else { continue }
            outcomes[index] = outcome.keeping(Set(first.differences))
        }
        return outcomes
    }

    /// Reads collections once, in one state of the store.
    private func read(_ collections: [String]) async throws -> [Outcome] {
        let store = try await self.openStore()
        var outcomes: [Outcome] = []
        do {
            for name in collections {
                do {
                    outcomes.append(.compared(try await self.compare(name, of: store)))
                } catch let error as Unfinished {
                    outcomes.append(.unfinished(name, error))
                }
            }
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        return outcomes
    }

    private func compare(_ collection: String, of store: SyncClient) async throws -> Result {
        let position = try await store.position(in: collection)
        let report = try await self.fresh.sync([collection]).collections[0]
        if let failure = report.failure {
            throw Unfinished(failure.message, isUnauthorized: report.outcome == .unauthorized)
        }
        guard try await self.fresh.account == store.account else {
            throw Unfinished("the server has another account for this token than the store", isUnauthorized: true)
        }
        let notPulled = try await self.notPulled(after: position, in: collection, of: store)
        let left = try await notPulled.names.union(store.quarantined(in: collection)).union(
            self.fresh.quarantined(in: collection))
        var comparison = Comparison(
            self.remote.capabilities, leftOut: left, Result(collection: collection, notPulled: notPulled.count))
        var last: String?
        repeat {
            let rows = try await store.rows(of: collection, after: last, limit: Self.pageSize)
            comparison.compare(here: rows, server: try await self.fresh.rows(of: collection, named: rows.map(\.name)))
            last = rows.count == Self.pageSize ? rows.last?.pk : nil
        } while last != nil
        repeat {
            let rows = try await self.fresh.rows(of: collection, after: last, limit: Self.pageSize)
            comparison.find(server: rows, here: try await store.rows(of: collection, named: rows.map(\.name)))
            last = rows.count == Self.pageSize ? rows.last?.pk : nil
        } while last != nil
        return comparison.result
    }

    /// The pks and names of the records that the feed shows after the store's cursor with another version than the store has, and how
    /// many records these are: a feed can show rows again that were pulled.
    private func notPulled(
        after position: FeedPosition, in collection: String, of store: SyncClient
    ) async throws -> (names: Set<CodePointString>, count: Int) {
        var (notPulled, count): (Set<CodePointString>, Int) = ([], 0)
        guard self.remote.capabilities.feed != .listing else { return (notPulled, count) }
        var (request, requests) = (position.request(in: collection), 0)
        while true {
            let answer: ExchangeAnswer
            do throws(RemoteFailure) {
                answer = try await self.remote.exchange(request)
            } catch {
                throw Unfinished(
                    "the feed can't be read from the store's cursor: \(error.message)",
                    isUnauthorized: error.failureClass == .auth)
            }
            guard !answer.beginsResync, answer.failure == nil, answer.epoch == position.epoch else {
                throw Unfinished("the server refuses the store's cursor; sync the store first")
            }
            let names = answer.page.rows.map { answer.page.name(of: $0) ?? answer.page.pk(of: $0) }
            let stored = try await store.rows(of: collection, named: names)
            for (row, known) in zip(answer.page.rows, stored) {
                let isKnown = row.isTombstone ? known == nil : known?.version == answer.page.versionText(of: row)
                guard !isKnown else { continue }
                if notPulled.insert(CodePointString(answer.page.pk(of: row))).inserted { count += 1 }
                if let name = answer.page.name(of: row) { notPulled.insert(CodePointString(name)) }
            }
            guard answer.hasMore else { return (notPulled, count) }
            requests += 1
            guard count <= Self.notPulledLimit, requests <= Self.notPulledLimit / request.limit + Self.spareRequests
            else {
                throw Unfinished(
                    "the server has changed more than \(Self.notPulledLimit) records since; sync the store first")
            }
            request.cursor = answer.cursor
        }
    }

    /// How many pages with few rows a feed may have.
    private static let spareRequests = 1_000
}

// MARK: - Results

extension ServerCheck {
    /// What a comparison of a collection found.
    package struct Result: Hashable, Sendable {
        package let collection: String

        /// The number of records that were compared.
        package var compared = 0

        /// The number of records with local changes, which were not.
        package var changedHere = 0

        /// The number of records that the server has changed since the store was last in sync.
        package var notPulled: Int

        /// The differences: first those of stored records, then records that only the server has, each in the order of the pks; at most ``ServerCheck/differenceLimit``.
        package var differences: [Difference] = []

        /// Whether there were more.
        package var hasMore = false

        init(collection: String, notPulled: Int) {
            self.collection = collection
            self.notPulled = notPulled
        }
    }

    /// A record that is not the same in the store and on the server.
    package struct Difference: Hashable, Sendable {
        package enum Kind: String, Sendable {
            case onlyHere = "only-here"
            case onlyOnServer = "only-on-server"
            case otherVersion = "other-version"
            /// The same version, and other data.
            case otherData = "other-data"
        }

        package let pk: String
        package let kind: Kind

        /// The version as JSON text; nil without such a record.
        package let (here, server): (String?, String?)

        /// Where the data differ; at most ``pathLimit``.
        package var paths: [JSONPointer] = []

        package static let pathLimit = 10
    }

    /// Why a collection could not be compared.
    package struct Unfinished: Error, Hashable {
        package let message: String

        /// Whether the server rejects the token.
        package let isUnauthorized: Bool

        init(_ message: String, isUnauthorized: Bool = false) {
            self.message = message
            self.isUnauthorized = isUnauthorized
        }
    }

    /// How the comparison of a collection ended.
    package enum Outcome: Hashable, Sendable {
        case compared(Result)
        case unfinished(String, Unfinished)

        /// The result, if it has differences.
        fileprivate var differing: Result? {
            guard case .compared(let result) = self, !result.differences.isEmpty else { return nil }
            return result
        }

        /// Without the differences that another reading did not have.
        fileprivate func keeping(_ others: Set<Difference>) -> Outcome {
            guard case .compared(var result) = self else { return self }
            result.differences.removeAll { !others.contains($0) }
            return .compared(result)
        }
    }
}

// MARK: - Reading

extension ServerCheck {
    /// A stored record, as far as it is compared.
    struct Row: Sendable {
        let pk: String

        /// The server's name of it.
        let name: String

        let isSynced: Bool
        let version: String?
        let data: [UInt8]?

        init(_ stored: StoredRecord) {
            self.pk = stored.pk
            self.name = stored.name ?? stored.pk
            self.isSynced = stored.phase == .synced
            self.version = stored.confirmed.version
            self.data = stored.confirmed.data
        }
    }

    /// Up to where a store has read a feed.
    struct FeedPosition: Sendable {
        let (cursor, seen, epoch, account): (String, String?, String?, String?)

        func request(in collection: String) -> ExchangeRequest {
            ExchangeRequest(
                collection: collection, cursor: self.cursor, seen: self.seen, limit: SyncLimits().pageSize,
                known: ServerIdentity(account: self.account, epoch: self.epoch))
        }
    }
}

extension SyncClient {
    fileprivate func position(in collection: String) throws -> ServerCheck.FeedPosition {
        let state = try self.engine.store.state(of: collection)
        guard let cursor = state.cursor, !state.isResyncing else {
            throw ServerCheck.Unfinished("the store has not read the whole collection yet; sync it first")
        }
        return ServerCheck.FeedPosition(cursor: cursor, seen: state.seen, epoch: state.epoch, account: try self.account)
    }

    fileprivate func quarantined(in collection: String) throws -> Set<CodePointString> {
        Set(try self.engine.store.quarantinedItems(in: collection).map { CodePointString($0.pk) })
    }

    fileprivate func rows(of collection: String, after pk: String?, limit: Int) throws -> [ServerCheck.Row] {
        try self.engine.store.records(in: collection, states: Set(SyncState.allCases), after: pk, limit: limit)
            .map(ServerCheck.Row.init)
    }

    /// The records with these names, each in the place of its name.
    fileprivate func rows(of collection: String, named names: [String]) throws -> [ServerCheck.Row?] {
        let store = try self.engine.store
        return try names.map { name in
            try (store.record(named: name, in: collection) ?? store.record(name, in: collection)).map(
                ServerCheck.Row.init)
        }
    }
}

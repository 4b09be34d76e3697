import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `What a server can be trusted with (SPEC §12)` {
    /// The declared capabilities of a server in the process.
    struct Declared: Remote {
        let capabilities: RemoteCapabilities
        let remote: InProcessRemote

        func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
            try await self.remote.exchange(request)
        }
    }

    enum Grade: Equatable {
        case kept, within, reported, notKept

        init(_ standing: SyncPromise.Standing?) {
            switch standing {
            case .kept: self = .kept
            case .within: self = .within
            case .reported: self = .reported
            case .notKept, nil: self = .notKept
            }
        }
    }

    private static func native(_ change: (inout RemoteCapabilities) -> Void) -> RemoteCapabilities {
        var capabilities = RemoteCapabilities.native
        change(&capabilities)
        return capabilities
    }

    @Test func `a server that keeps the rules keeps every promise, and a remote that says nothing has such a one`()
        throws
    {
        #expect(
            RemoteCapabilities.native.promises
                == Dictionary(uniqueKeysWithValues: SyncPromise.allCases.map { ($0, .kept) })
        )
        #expect(RemoteCapabilities.native.mustBeAccepted.isEmpty)
        #expect(RemoteCapabilities.native.judgesSeen)
        #expect(InProcessRemote(try InProcessServer()).capabilities == .native)
    }

    static let lesser: [(RemoteCapabilities, [SyncPromise: Grade])] = [
        (Self.native { $0.condition = .checkedFirst(watch: .seconds(10)) }, [.i1: .within]),
        (Self.native { $0.condition = .none }, [.i1: .notKept, .i9: .notKept]),
        (Self.native { $0.repetition = .recognised }, [.i9: .reported, .i11: .notKept]),
        (Self.native { $0.feed = .late(.seconds(5)) }, [.i3: .within, .i6: .within]),
        (Self.native { $0.feed = .listing }, [:]),
        (Self.native { $0.tombstones = .forever }, [:]),
        (Self.native { $0.tombstones = .kept(.seconds(60), isSignalled: false) }, [.i3: .within]),
        (Self.native { $0.tombstones = .none }, [.i3: .notKept]),
        (
            Self.native {
                $0.tombstones = .none
                $0.feed = .listing
            }, [:]
        ),
        (Self.native { $0.names = .server }, [.i9: .notKept, .i10: .notKept, .i11: .notKept]),
        (Self.native { $0.names = .member(JSONPointer(tokens: ["uid"])) }, [:]),
        (Self.native { $0.values = .byValue }, [:]),
        (Self.native { $0.values = .rounded }, [.i2: .reported]),
        (Self.native { $0.batchSize = 1 }, [:]),
    ]

    @Test(arguments: Self.lesser)
    func `a lesser server breaks the promises that rest on what it lacks, and no others`(
        capabilities: RemoteCapabilities, broken: [SyncPromise: Grade]
    ) {
        for promise in SyncPromise.allCases {
            #expect(Grade(capabilities.promises[promise]) == broken[promise] ?? .kept, "\(promise.name)")
        }
    }

    private func client(_ capabilities: RemoteCapabilities, accepting promises: Set<SyncPromise> = []) throws
        -> SyncClient
    {
        let server = try InProcessServer()
        return try SyncClient(
            store: MemoryStore(), remote: Declared(capabilities: capabilities, remote: InProcessRemote(server)),
            configuration: SyncConfiguration(accepts: promises), time: server.clock, seed: 1)
    }

    static let losses: [(RemoteCapabilities, Set<SyncPromise>)] = [
        (Self.native { $0.condition = .none }, [.i1]),
        (Self.native { $0.names = .server }, [.i9, .i11]),
    ]

    @Test(arguments: Self.losses)
    func `a loss is signed for by name before there is a client`(
        capabilities: RemoteCapabilities, promises: Set<SyncPromise>
    ) throws {
        #expect(capabilities.mustBeAccepted == promises)
        for few in promises.map({ promises.subtracting([$0]) }) {
            let error = try #require(throws: TidemarkError.self) { try self.client(capabilities, accepting: few) }
            #expect(error.code == .promiseNotAccepted)
            for missing in promises.subtracting(few) {
                #expect(error.message.contains("\(missing.name) can't be kept"))
                #expect(error.message.contains(".\(missing.rawValue)"))
            }
        }
        #expect(try self.client(capabilities, accepting: promises).promises == capabilities.promises)
    }

    @Test func `another way to the server is no way around that`() async throws {
        let client = try self.client(.native)
        let lesser = Declared(
            capabilities: Self.native { $0.condition = .none }, remote: InProcessRemote(try InProcessServer()))
        await #expect { try await client.renew(remote: lesser) } throws: {
            ($0 as? TidemarkError)?.code == .promiseNotAccepted
        }
    }

    private func firstPOST(_ capabilities: RemoteCapabilities) throws -> (request: ExchangeRequest, store: MemoryStore)
    {
        let store = MemoryStore()
        let engine = try SyncEngine(
            store: store, configuration: SyncConfiguration(), capabilities: capabilities, seed: 1)
        for number in 1...5 { _ = try engine.create(["n": 1], pk: "\(number)", in: "notes") }
        for effect in try engine.sync("notes", now: .zero) {
            if case .send(let request, _) = effect { return (request, store) }
        }
        throw Trouble("nothing was sent")
    }

    @Test(arguments: [(nil, 5), (2, 2), (100, 5), (0, 1)] as [(Int?, Int)])
    func `no more edits go at a time than it takes`(batchSize: Int?, count: Int) throws {
        let capabilities = Self.native { $0.batchSize = batchSize }
        #expect(try self.firstPOST(capabilities).request.uploads.count == count)
    }

    @Test(arguments: [(RemoteCapabilities.Repetition.answeredAgain, Recognition.byAnswer), (.recognised, .byContent)])
    func `R18 its way with repetition says how our own write is known again`(
        repetition: RemoteCapabilities.Repetition, recognition: Recognition
    ) throws {
        let store = try self.firstPOST(Self.native { $0.repetition = repetition }).store
        #expect(try store.record("1", in: "notes")?.upload?.recognition == recognition)
    }

    @Test func `a server is not checked for what it says it can't do`() {
        #expect(RemoteConformance.checks(for: .native).count == RemoteConformance.checks.count)
        let forgetful = RemoteConformance.checks(for: Self.native { $0.repetition = .recognised })
        #expect(!forgetful.isEmpty)
        #expect(forgetful.allSatisfy { !$0.rules.contains("W4") })
        #expect(forgetful.count == RemoteConformance.checks.count - 5)
        let flat = RemoteConformance.checks(for: Self.native { $0.tombstones = .none })
        #expect(flat.allSatisfy { !$0.rules.contains("W7") })
    }
}

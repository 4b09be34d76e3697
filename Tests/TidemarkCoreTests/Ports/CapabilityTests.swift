import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Guarantees by a server's capabilities (Contract §12)` {
    /// A server in this process with declared capabilities.
    struct Declared: Remote {
        let capabilities: RemoteCapabilities
        let remote: InProcessRemote

        func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
            try await self.remote.exchange(request)
        }
    }

    enum Grade: Equatable {
        case kept, within, reported, notKept

        init(_ level: SyncGuarantee.Level?) {
            switch level {
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

    @Test func `a remote is native by default, and a native server keeps every guarantee`() throws {
        #expect(
            RemoteCapabilities.native.guarantees
                == Dictionary(uniqueKeysWithValues: SyncGuarantee.allCases.map { ($0, .kept) })
        )
        #expect(RemoteCapabilities.native.guaranteesNotKept.isEmpty)
        #expect(RemoteCapabilities.native.judgesSeen)
        #expect(InProcessRemote(try InProcessServer()).capabilities == .native)
    }

    static let lesser: [(RemoteCapabilities, [SyncGuarantee: Grade])] = [
        (Self.native { $0.condition = .checkedFirst(watch: .seconds(10)) }, [.noLostUpdates: .within]),
        (
            Self.native { $0.condition = .checkedFirst(watch: .zero) },
            [.noLostUpdates: .notKept, .toleratesMessageLoss: .notKept]
        ),
        (Self.native { $0.condition = .none }, [.noLostUpdates: .notKept, .toleratesMessageLoss: .notKept]),
        (Self.native { $0.repetition = .recognized }, [.toleratesMessageLoss: .reported, .noOrphans: .notKept]),
        (Self.native { $0.feed = .late(.seconds(5)) }, [.convergence: .within, .noSkippedRows: .within]),
        (Self.native { $0.feed = .listing }, [:]),
        (Self.native { $0.tombstones = .forever }, [:]),
        (Self.native { $0.tombstones = .kept(.seconds(60), isSignalled: false) }, [.convergence: .within]),
        (Self.native { $0.tombstones = .none }, [.convergence: .notKept]),
        (
            Self.native {
                $0.tombstones = .none
                $0.feed = .listing
            }, [:]
        ),
        (
            Self.native { $0.names = .server },
            [.toleratesMessageLoss: .notKept, .crashRecovery: .notKept, .noOrphans: .notKept]
        ),
        (Self.native { $0.names = .member(JSONPointer(tokens: ["uid"])) }, [:]),
        (Self.native { $0.values = .byValue }, [:]),
        (Self.native { $0.values = .rounded }, [.noLostEdits: .reported]),
        (Self.native { $0.batchSize = 1 }, [:]),
    ]

    @Test(arguments: Self.lesser)
    func `a lesser server breaks only the guarantees that need its missing capabilities`(
        capabilities: RemoteCapabilities, broken: [SyncGuarantee: Grade]
    ) {
        for guarantee in SyncGuarantee.allCases {
            #expect(Grade(capabilities.guarantees[guarantee]) == broken[guarantee] ?? .kept, "\(guarantee.rule)")
        }
    }

    private func client(_ capabilities: RemoteCapabilities, accepting guarantees: Set<SyncGuarantee> = []) throws
        -> SyncClient
    {
        let server = try InProcessServer()
        return try SyncClient(
            store: MemoryStore(), remote: Declared(capabilities: capabilities, remote: InProcessRemote(server)),
            configuration: SyncConfiguration(accepts: guarantees), time: server.clock, seed: 1)
    }

    static let losses: [(RemoteCapabilities, Set<SyncGuarantee>)] = [
        (Self.native { $0.condition = .none }, [.noLostUpdates]),
        (Self.native { $0.names = .server }, [.toleratesMessageLoss, .noOrphans]),
    ]

    @Test(arguments: Self.losses)
    func `a client is refused until the app accepts each lost guarantee by name`(
        capabilities: RemoteCapabilities, guarantees: Set<SyncGuarantee>
    ) throws {
        #expect(capabilities.guaranteesNotKept == guarantees)
        for few in guarantees.map({ guarantees.subtracting([$0]) }) {
            let error = try #require(throws: TidemarkError.self) { try self.client(capabilities, accepting: few) }
            #expect(error.code == .guaranteeNotAccepted)
            for missing in guarantees.subtracting(few) {
                #expect(error.message.contains("\(missing.rule) can't be kept"))
                #expect(error.message.contains(".\(missing.rawValue)"))
            }
        }
        #expect(try self.client(capabilities, accepting: guarantees).guarantees == capabilities.guarantees)
    }

    @Test func `renew refuses a remote whose lost guarantees were not accepted`() async throws {
        let client = try self.client(.native)
        let lesser = Declared(
            capabilities: Self.native { $0.condition = .none }, remote: InProcessRemote(try InProcessServer()))
        await #expect { try await client.renew(remote: lesser) } throws: {
            ($0 as? TidemarkError)?.code == .guaranteeNotAccepted
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
    func `a POST has no more edits than the server's batch size`(batchSize: Int?, count: Int) throws {
        let capabilities = Self.native { $0.batchSize = batchSize }
        #expect(try self.firstPOST(capabilities).request.uploads.count == count)
    }

    @Test(arguments: [(RemoteCapabilities.Repetition.answeredAgain, Recognition.byAnswer), (.recognized, .byContent)])
    func `the declared repetition decides how an own write is recognized (R18)`(
        repetition: RemoteCapabilities.Repetition, recognition: Recognition
    ) throws {
        let store = try self.firstPOST(Self.native { $0.repetition = repetition }).store
        #expect(try store.record("1", in: "notes")?.upload?.recognition == recognition)
    }

    @Test func `a server is not checked for capabilities that it does not declare`() {
        #expect(RemoteConformance.checks(for: .native).count == RemoteConformance.checks.count)
        let forgetful = RemoteConformance.checks(for: Self.native { $0.repetition = .recognized })
        #expect(!forgetful.isEmpty)
        #expect(forgetful.allSatisfy { !$0.rules.contains("W4") })
        #expect(forgetful.count == RemoteConformance.checks.count - 25)
        let flat = RemoteConformance.checks(for: Self.native { $0.tombstones = .none })
        #expect(flat.allSatisfy { !$0.rules.contains("W7") })
    }
}

import Synchronization
import TestSupport
import Testing
import TidemarkDatabase
import TidemarkJSON
import TidemarkServer

@Suite("POSTs that share a transaction", .overEachStorage)
struct GroupTests {
    private static func post(_ edits: JSON..., after cursor: String? = nil, limit: Int = 100) -> ServerRequest {
        ServerRequest(
            method: "POST", target: ServerHarness.target("notes", cursor, limit),
            body: (["edits": .array(edits)] as JSON).bytes)
    }

    /// The answers in the order of the requests.
    private static func answers(of core: ServerCore, to requests: [ServerRequest]) -> [ServerResponse] {
        var answers: [Int: ServerResponse] = [:]
        core.handle(requests) { index, answer in
            #expect(answers[index] == nil, "each is answered once")
            answers[index] = answer
        }
        #expect(answers.count == requests.count)
        return requests.indices.compactMap { answers[$0] }
    }

    private static func core(_ storage: sending CountingStorage, _ heard: Heard = Heard()) -> ServerCore {
        ServerCore(storage: storage, now: { 1_000 }, report: { heard.add($0.message) })
    }

    @Test func `grouped POSTs share one commit, in order, and each sees earlier ones (W3)`() throws {
        let tally = Tally()
        let core = Self.core(try CountingStorage(tally))
        let requests = (1...5).map { Self.post(created("r\($0)", "p\($0)", ["a": 1])) }
        let answers = try Self.answers(of: core, to: requests).map { try Answer($0) }
        #expect(tally.commits == 1)
        #expect(answers.compactMap { $0.results[0].version } == [1_000, 1_001, 1_002, 1_003, 1_004])
        #expect(answers[2].pks == ["p1", "p2"])
    }

    @Test func `only the first of two grouped edits of the same version is accepted (W1)`() throws {
        let core = Self.core(try CountingStorage(Tally()))
        let made = try Answer(core.handle(Self.post(created("c", "1", ["a": 1]))))
        let version = made.results[0].version
        let answers = try Self.answers(
            of: core, to: [Self.post(setting("x", "1", version, to: 2)), Self.post(setting("y", "1", version, to: 3))]
        ).map { try Answer($0) }
        #expect(answers[0].results[0].isAccepted)
        #expect(answers[1].results[0].isConflicted == true)
        #expect(answers[1].results[0].item?["data"]?["a"]?.int == 2, "W2: its result has the first one's row")
    }

    @Test func `the same edit twice in one group is carried out once (W4)`() throws {
        let core = Self.core(try CountingStorage(Tally()))
        let request = Self.post(created("r", "1", ["a": 1]))
        let answers = try Self.answers(of: core, to: [request, request]).map { try Answer($0) }
        #expect(answers[0].results[0].json.text == answers[1].results[0].json.text)
    }

    @Test func `a refused POST does not affect other POSTs of its group (W5, W8)`() throws {
        let tally = Tally()
        let core = Self.core(try CountingStorage(tally))
        let answers = Self.answers(
            of: core,
            to: [
                Self.post(created("r1", "1", ["a": 1])), Self.post(created("r2", "2", ["a": 1]), after: "no cursor"),
                ServerRequest(method: "POST", target: "/v1/notes", body: Array("{".utf8)),
                ServerRequest(method: "GET", target: "/nowhere"), Self.post(created("r3", "", ["a": 1])),
                Self.post(created("r4", "4", ["a": 1])),
            ])
        #expect(answers.map(\.status) == [200, 410, 400, 404, 200, 200])
        #expect(try Answer(answers[4]).results[0].status == 400)
        #expect(tally.commits == 1)
        let listed = try Answer(core.handle(ServerRequest(method: "GET", target: "/v1/notes")))
        #expect(listed.pks == ["1", "4"])
    }

    @Test func `a POST at which the storage fails gets an error; other POSTs are carried out`() throws {
        let heard = Heard()
        let tally = Tally()
        let core = Self.core(try CountingStorage(tally, refusing: "2"), heard)
        let requests = (1...3).map { Self.post(created("r\($0)", "\($0)", ["a": 1])) }
        let answers = Self.answers(of: core, to: requests)
        #expect(answers.map(\.status) == [200, 500, 200])
        #expect(heard.messages.count == 1)
        let listed = try Answer(core.handle(ServerRequest(method: "GET", target: "/v1/notes")))
        #expect(listed.pks == ["1", "3"])
    }

    @Test func `a failed commit is reported to all POSTs, stores nothing, and the next succeeds`() throws {
        let heard = Heard()
        let tally = Tally()
        let core = Self.core(try CountingStorage(tally), heard)
        tally.failNextCommit()
        let requests = (1...3).map { Self.post(created("r\($0)", "p\($0)", ["a": 1])) }
        #expect(Self.answers(of: core, to: requests).map(\.status) == [500, 500, 500])
        #expect(heard.messages == ["the disk is gone"])
        let empty = try Answer(core.handle(ServerRequest(method: "GET", target: "/v1/notes")))
        #expect(empty.items.isEmpty)
        // W4: if an answer had been remembered, the other edit would be refused with 422.
        let other = Self.post(created("r1", "p1", ["a": "another"]))
        let again = try Self.answers(of: core, to: [other] + requests[1...]).map { try Answer($0) }
        #expect(again.allSatisfy { $0.results[0].isAccepted })
        #expect(again.compactMap { $0.results[0].version } == [1_000, 1_001, 1_002])
    }

    @Test func `the answers of a group have a common limit, and the rest uses the next commit`() throws {
        var limits = ServerLimits()
        limits.groupBytes = 1_000
        let tally = Tally()
        let core = ServerCore(storage: try CountingStorage(tally), limits: limits, now: { 1 })
        let text = JSON.string(JSONString(String(repeating: "x", count: 1_500)))
        let requests = (1...4).map { Self.post(created("r\($0)", "p\($0)", ["a": text]), limit: 1) }
        let heard = Mutex<[Int]>([])
        core.handle(requests) { index, answer in
            #expect(answer.status == 200)
            heard.withLock { $0.append(tally.commits) }
        }
        // Each is answered after its own commit.
        #expect(heard.withLock { $0 } == [1, 2, 3, 4])
    }

    @Test func `an answer that is lost after the commit is repeated after a restart (W4)`() throws {
        let folder = try TemporaryFolder()
        let request = Self.post(created("r", "1", ["a": 1]))
        let before = try {
            let server = try ServerHarness(.file(folder.path("server.db")))
            return Self.answers(of: server.core, to: [request, Self.post(created("s", "2", ["a": 1]))])
        }()
        let after = try ServerHarness(.file(folder.path("server.db")))
        let first = try Answer(before[0])
        #expect(try Answer(after.core.handle(request)).results[0].json.text == first.results[0].json.text)
    }
}

import PostgresForTests
import TestSupport
import Testing
import TidemarkJSON
import TidemarkPostgres
import TidemarkServer

/// A storage that reads in advance, and delays its writes, is compared with one that does neither.
@Suite("PostgreSQL and SQLite give the same answers", .overPostgres, .timeLimit(.minutes(10)))
struct SameAnswersTests {
    @Test(arguments: [(UInt64(1), 40, false), (2, 40, false), (3, 40, false), (4, 6, true)])
    func `random groups of POSTs, and GETs, have the same answers over both (W1 to W9)`(
        seed: UInt64, turns: Int, isHeavy: Bool
    ) throws {
        let database = try TestDatabase()
        let sqlite = ServerCore(
            storage: try SQLiteServerStorage(.memory, epoch: { "e" }, run: { "r" }), now: { 1_000 })
        let postgres = ServerCore(
            storage: try PostgresServerStorage(
                try PostgresAddress(database.address), epoch: { "e" }, run: { "r" }), now: { 1_000 })
        var requests = RandomRequests(seed: seed, isHeavy: isHeavy)
        for turn in 0..<turns {
            let group = requests.next()
            let answers = [sqlite, postgres].map { Self.answers(of: $0, to: group) }
            for (index, (one, other)) in zip(answers[0], answers[1]).enumerated() {
                try #require(one == other, "seed \(seed), turn \(turn): \(group[index])")
            }
            for answer in answers[0] { requests.add(answer) }
        }
    }

    @Test func `a page, and a record, that are too large to be read in advance are whole`() throws {
        let database = try TestDatabase()
        let process = try database.process()
        let large = JSON.string(JSONString(String(repeating: "x", count: 700_000)))
        var cursors: [String] = []
        for pk in ["1", "2", "3", "4"] {
            var create = creation(of: pk)
            create["edited_data"] = [["op": "add", "path": "", "value": ["a": pk == "3" ? [large, large] : large]]]
            // The page of the POST is too large as well.
            let page = try Page(process.post([create], after: cursors.first ?? ""))
            #expect(page.pks == (cursors.isEmpty ? [] : (2..<(Int(pk) ?? 0)).map { "\($0)" }))
            cursors.append(page.cursor)
        }
        let whole = try process.list()
        #expect(whole.pks == ["1", "2", "3", "4"])
        #expect(try process.list(after: cursors[0]).pks == ["2", "3", "4"])
        #expect(whole.cursor == cursors.last)
        let record = process.core.handle(ServerRequest(method: "GET", target: "/v1/notes/3"))
        #expect(record.status == 200)
        #expect(record.body.count > 1_400_000)
        let part = process.core.handle(ServerRequest(method: "GET", target: "/v1/notes?limit=1&count=1"))
        #expect(try JSON(parsing: part.body)["left"] == 3)
    }

    @Test func `a row that was read in advance and replaced by the POST is not on its page (W6)`() throws {
        let database = try TestDatabase()
        let process = try database.process()
        let made = try Page(process.post([creation(of: "1"), creation(of: "2")]))
        let version = try #require(made.versions.first)
        #expect(try Page(process.post([deletion(of: "1", at: version)])).pks == ["2"])
    }

    private static func answers(of core: ServerCore, to requests: [ServerRequest]) -> [String] {
        var answers = [String](repeating: "", count: requests.count)
        core.handle(requests) { index, answer in
            answers[index] = "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        }
        return answers
    }
}

/// Groups of requests of clients that are at any of the positions that were given out.
private struct RandomRequests {
    private var random: SeededGenerator
    /// Whether a group writes more than is delayed, or kept for later reads.
    private let isHeavy: Bool
    private var cursors = [""]
    private var versions: [Int] = []
    private var sent: [JSON] = []

    init(seed: UInt64, isHeavy: Bool) {
        self.random = SeededGenerator(seed: seed)
        self.isHeavy = isHeavy
    }

    /// Notes the cursor and the versions of an answer.
    mutating func add(_ answer: String) {
        guard answer.utf8.starts(with: "200 ".utf8), let json = try? JSON(parsing: Array(answer.utf8.dropFirst(4)))
        else { return }
        if let cursor = json["max_updated_at"]?.string { self.cursors.append(String(cursor)) }
        self.versions += (json["results"]?.array ?? []).compactMap { $0["item"]?["updated_at"]?.int }
    }

    mutating func next() -> [ServerRequest] {
        (0..<self.number(1...(self.isHeavy ? 40 : 12))).map { _ in
            let collection = ["notes", "tags"][self.number(0...1)]
            let limit = [1, 3, self.isHeavy ? 1 : 500][self.number(0...2)]
            // Most clients are near the end.
            let known = self.number(0...3) == 0 ? self.cursors[...] : self.cursors.suffix(4)
            let cursor = known.randomElement(using: &self.random) ?? ""
            let seen = self.number(0...3) == 0 ? self.cursors.randomElement(using: &self.random) ?? "" : ""
            let target = "/v1/\(collection)?max_updated_at=\(cursor)&seen=\(seen)&limit=\(limit)&count=1"
            guard self.number(0...3) > 0 else { return ServerRequest(method: "GET", target: target) }
            let edits = (0..<self.number(0...4)).map { _ in self.edit() }
            return ServerRequest(method: "POST", target: target, body: (["edits": .array(edits)] as JSON).bytes)
        }
    }

    private mutating func edit() -> JSON {
        if self.number(0...5) == 0, let again = self.sent.randomElement(using: &self.random) { return again }
        // Larger than a row, and than a page, that is read in advance.
        let size = (self.isHeavy ? [1, 1, 5_000, 300_000] : [1, 100, 5_000, 20_000])[self.number(0...3)]
        let value: JSON = .string(JSONString(String(repeating: "x", count: size) + "\(self.sent.count)"))
        var edit: JSON = [
            "request_id": .string(JSONString("r\(self.sent.count)")),
            "pk": .string(JSONString("p\(self.number(0...20))")),
        ]
        let version = JSON.number(
            JSONNumber(self.versions.suffix(20).randomElement(using: &self.random) ?? 1))
        switch self.number(0...3) {
        case 0, 1:
            edit["sync_state"] = "CREATED"
            edit["edited_data"] = [["op": "add", "path": "", "value": ["a": value]]]
        case 2:
            edit["sync_state"] = "EDITED"
            edit["updated_at"] = version
            edit["edited_data"] = [["op": "replace", "path": "/a", "value": value]]
        case _:
            edit["sync_state"] = "DELETED"
            edit["updated_at"] = version
        }
        self.sent.append(edit)
        return edit
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self.random) }
}

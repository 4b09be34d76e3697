import Synchronization
import Testing
import TidemarkJSON
import TidemarkServer

/// A clock that only the test moves.
final class ManualClock: Sendable {
    private let time: Mutex<Int64>

    init(_ time: Int64 = 1_763_000_000_000_000) {
        self.time = Mutex(time)
    }

    var now: Int64 { self.time.withLock { $0 } }

    func set(_ time: Int64) {
        self.time.withLock { $0 = time }
    }

    func advance(days: Int64) {
        self.time.withLock { $0 += days * 86_400_000_000 }
    }
}

/// A server over the storage of the test, with its clock and helpers.
struct ServerHarness {
    let core: ServerCore
    let clock: ManualClock

    init(
        _ location: SQLiteServerStorage.Location = .memory, tokens: [String] = [],
        limits: ServerLimits = ServerLimits(), epoch: String = "e1", clock: ManualClock = ManualClock()
    ) throws {
        let storage = try StorageOfTest.open(location, epoch: epoch)
        self.clock = clock
        self.core = ServerCore(
            storage: storage, accounts: ServerAccounts(tokens: tokens), limits: limits, now: { clock.now },
            report: { Issue.record("the storage failed: \($0)") })
    }

    func send(_ method: String, _ target: String, body: String = "", token: String? = nil) -> ServerResponse {
        let headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        return self.core.handle(
            ServerRequest(method: method, target: target, headers: headers, body: Array(body.utf8)))
    }

    /// A page that must be answered with 200.
    func list(
        _ collection: String = "notes", after cursor: String? = nil, limit: Int? = nil, token: String? = nil
    ) throws -> Answer {
        let target = Self.target(collection, cursor, limit)
        return try Answer(self.send("GET", target, token: token))
    }

    /// A POST that must be answered with 200.
    func post(
        _ edits: JSON..., to collection: String = "notes", after cursor: String? = nil, limit: Int? = nil,
        token: String? = nil
    ) throws -> Answer {
        let body = (["edits": .array(edits)] as JSON).text
        return try Answer(self.send("POST", Self.target(collection, cursor, limit), body: body, token: token))
    }

    /// Posts prepared edits.
    func post(_ edits: [JSON], to collection: String = "notes") throws -> Answer {
        let body = (["edits": .array(edits)] as JSON).text
        return try Answer(self.send("POST", Self.target(collection, nil, nil), body: body))
    }

    /// Makes a record; returns its version.
    @discardableResult
    func make(
        _ pk: String, _ value: JSON = ["a": 1], in collection: String = "notes", token: String? = nil
    ) throws -> Int {
        let answer = try self.post(created("make-\(pk)", pk, value), to: collection, token: token)
        return try #require(answer.results.first?.item?.updated_at?.int)
    }

    /// The status and body of a GET of one record.
    func get(_ pk: String, in collection: String = "notes", token: String? = nil) -> (status: Int, text: String) {
        let response = self.send("GET", "/v1/\(collection)/\(pk)", token: token)
        return (response.status, String(decoding: response.body, as: UTF8.self))
    }

    /// A GET, or a POST that creates the record “new”, with a cursor and a seen cursor.
    func ask(_ method: String, after cursor: String?, seen: String?) -> ServerResponse {
        let body = (["edits": [created("r-new", "new", ["a": 1])]] as JSON).text
        let target = Self.target("notes", cursor, nil, seen: seen)
        return self.send(method, target, body: method == "POST" ? body : "")
    }

    static func target(_ collection: String, _ cursor: String?, _ limit: Int?, seen: String? = nil) -> String {
        var query: [String] = []
        if let cursor {
            query.append("max_updated_at=\(cursor)")
        }
        if let seen {
            query.append("seen=\(seen)")
        }
        if let limit {
            query.append("limit=\(limit)")
        }
        return "/v1/\(collection)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}

/// An ANSWER with status 200, parsed.
struct Answer {
    let text: String
    let json: JSON

    init(_ response: ServerResponse) throws {
        self.text = String(decoding: response.body, as: UTF8.self)
        try #require(response.status == 200, "\(self.text)")
        self.json = try JSON(parsing: response.body)
    }

    var results: [Outcome] { (self.json["results"]?.array ?? []).map(Outcome.init) }
    var items: [JSON] { self.json["items"]?.array ?? [] }
    var pks: [String] { self.items.compactMap { $0["pk"]?.string } }
    var cursor: String { self.json["max_updated_at"]?.string ?? "" }
    var hasMore: Bool? { self.json["more"]?.bool }

    /// One RESULT.
    struct Outcome {
        let json: JSON

        var isConflicted: Bool? { self.json["is_conflicted"]?.bool }
        var item: JSON? { self.json["item"].flatMap { $0.isNull ? nil : $0 } }
        var version: Int? { self.item?["updated_at"]?.int }
        var status: Int? { self.json["error"]?["status"]?.int }
        var code: String? { self.json["error"]?["code"]?.string }
        var pointer: String? { self.json["error"]?["pointer"]?.string }
        /// Accepted: no conflict and no error.
        var isAccepted: Bool { self.isConflicted == false && self.json["error"]?.isNull == true }
    }
}

/// An EDIT that creates a record; in place of a tombstone if a version is given.
func created(_ id: String, _ pk: String, _ value: JSON, over version: Int? = nil) -> JSON {
    let patch: JSON = [["op": "add", "path": "", "value": value]]
    return edit(id, pk, "CREATED", version, patch)
}

/// An EDIT that patches a record.
func edited(_ id: String, _ pk: String, _ version: Int?, _ patch: JSON) -> JSON {
    edit(id, pk, "EDITED", version, patch)
}

/// An EDIT that sets `/a` of a record.
func setting(_ id: String, _ pk: String, _ version: Int?, to value: JSON) -> JSON {
    edited(id, pk, version, [["op": "add", "path": "/a", "value": value]])
}

/// An EDIT that deletes a record.
func deleted(_ id: String, _ pk: String, _ version: Int?) -> JSON {
    edit(id, pk, "DELETED", version, nil)
}

private func edit(_ id: String, _ pk: String, _ state: String, _ version: Int?, _ patch: JSON?) -> JSON {
    var json: JSON = ["request_id": .string(JSONString(id)), "pk": .string(JSONString(pk))]
    json["sync_state"] = .string(JSONString(state))
    json["updated_at"] = version.map { .number(JSONNumber($0)) } ?? .null
    json["edited_data"] = patch
    return json
}

import Foundation
import Synchronization
import TestSupport
import TidemarkHTTPClient
import TidemarkJSON

/// A server in memory with Kinto's rules, and the faults of its PostgreSQL backend.
final class FakeKinto: Sendable {
    private struct Records {
        var version: Int
        var newest: Int
        var live: [String: JSON] = [:]
        var tombstones: [String: JSON] = [:]
    }

    private struct State {
        var clock = 1_795_000_000_000
        var user = "basicauth:anna"
        var collections: [String: Records] = [:]
        var generator: SeededGenerator?
        var requests = 0

        /// A version. A step is longer than half of the overlap, so that a test notices a wrong cursor.
        mutating func tick() -> Int {
            self.clock += 3_000
            return self.clock
        }
    }

    private let state: Mutex<State>

    /// The server's limit of a page, smaller than that of the client.
    private let pageLimit: Int?

    /// Header fields of each answer.
    private let fields: [(name: String, value: String)]

    /// Makes an empty server.
    ///
    /// - Parameter collisions: A seed: two writers meet often, so that a batch has a 409. Nil for never.
    init(pageLimit: Int? = nil, collisions: UInt64? = nil, fields: [(name: String, value: String)] = []) {
        self.pageLimit = pageLimit
        self.fields = fields
        var state = State()
        state.generator = collisions.map { SeededGenerator(seed: $0) }
        self.state = Mutex(state)
    }

    // MARK: Requests

    /// The number of requests.
    var requests: Int { self.state.withLock { $0.requests } }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        self.state.withLock { state in
            state.requests += 1
            let body = request.body.flatMap { try? JSON(parsing: $0) }
            guard request.target == "/batch" else {
                return self.answer(request.method, request.target, request.fields, body, &state)
            }
            return self.batch(body, &state)
        }
    }

    private func batch(_ body: JSON?, _ state: inout State) -> HTTPAnswer {
        let requests = body?["requests"]?.array ?? []
        guard requests.count <= 25 else { return self.error(400, "Number of requests is limited to 25") }
        let before = state.collections
        let answers = requests.map { request -> JSON in
            let headers = (request["headers"]?.object ?? [:]).map { (name: $0, value: $1.string ?? "") }
            let answer = self.answer(
                request["method"]?.string ?? "GET", request["path"]?.string ?? "", headers, request["body"], &state)
            // The transaction is rolled back, and the answers before it remain.
            if answer.status == 409 { state.collections = before }
            let fields = JSONObject(answer.fields.map { ($0.name, .string($0.value)) })
            return [
                "status": .number(JSONNumber(answer.status)), "path": request["path"] ?? .null,
                "headers": .object(fields), "body": (try? JSON(parsing: answer.body)) ?? .null,
            ]
        }
        return self.success(200, ["responses": .array(answers)])
    }

    private func answer(
        _ method: String, _ target: String, _ fields: [(name: String, value: String)], _ body: JSON?,
        _ state: inout State
    ) -> HTTPAnswer {
        let parts = target.split(separator: "?", maxSplits: 1)
        let path = (parts.first ?? "").split(separator: "/").map { $0.removingPercents }
        if path.isEmpty { return self.success(200, ["project_name": "kinto", "user": ["id": .string(state.user)]]) }
        guard path.count >= 4, path[0] == "buckets", path[2] == "collections" else {
            return self.error(404, "Not Found")
        }
        let name = path[1...3].joined(separator: "/")
        // The bucket “default” makes its collections.
        let version = state.collections[name]?.version ?? state.tick()
        var records = state.collections[name] ?? Records(version: version, newest: version)
        defer { state.collections[name] = records }
        switch path.count {
        case 4:
            return self.success(200, ["data": ["id": .string(path[3]), "last_modified": self.number(records.version)]])
        case 5:
            return self.list(records, parts.count > 1 ? String(parts[1]) : "", now: state.clock)
        default:
            guard method != "GET" else {
                return records.live[path[5]].map { self.success(200, ["data": $0]) } ?? self.error(404, "Not Found")
            }
            return self.write(path[5], method == "PUT" ? body : nil, fields, &records, &state)
        }
    }

    private func list(_ records: Records, _ query: String, now: Int) -> HTTPAnswer {
        var since: Int?
        var limit = self.pageLimit ?? 10_000
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=")
            guard pair.count == 2, let number = Int(pair[1]) else { continue }
            if pair[0] == "_since" { since = number }
            if pair[0] == "_limit" { limit = min(limit, number) }
        }
        if let since, since < 0 || since > now + 86_400_000 { return self.error(400, "Invalid value for _since") }
        var rows = Array(records.live.values)
        if since != nil { rows += records.tombstones.values }
        rows = rows.filter { version(of: $0) > since ?? 0 }.sorted { version(of: $0) < version(of: $1) }
        var fields = [(name: "ETag", value: "\"\(records.newest)\"")]
        if rows.count > limit { fields.append((name: "Next-Page", value: "http://kinto.example/v1/next")) }
        return self.success(200, ["data": .array(Array(rows.prefix(limit)))], fields)
    }

    private func write(
        _ pk: String, _ body: JSON?, _ fields: [(name: String, value: String)], _ records: inout Records,
        _ state: inout State
    ) -> HTTPAnswer {
        guard pk.range(of: "^[a-zA-Z0-9][a-zA-Z0-9_-]*$", options: .regularExpression) != nil else {
            return self.error(400, "path: Invalid object id")
        }
        let present = records.live[pk]
        if body == nil, present == nil { return self.error(404, "Not Found") }
        for field in fields {
            let isStale =
                switch field.name {
                case "If-None-Match": present != nil
                case "If-Match": present.map { "\"\(version(of: $0))\"" } != field.value
                default: false
                }
            guard isStale else { continue }
            var document: JSONObject = ["code": 412, "message": "Resource was modified meanwhile"]
            if let present { document["details"] = ["existing": present] }
            return self.success(412, .object(document))
        }
        if state.generator?.oneIn(6) == true {
            return self.error(409, "Integrity constraint violated, please retry.", [(name: "Retry-After", value: "1")])
        }
        guard let body else {
            let tombstone: JSON = ["id": .string(pk), "last_modified": self.number(state.tick()), "deleted": true]
            (records.live[pk], records.tombstones[pk], records.newest) = (nil, tombstone, version(of: tombstone))
            return self.success(200, ["data": tombstone])
        }
        guard var row = body["data"], row.object != nil else { return self.error(400, "data in body: Required") }
        row = row.rounded
        (row["id"], row["last_modified"]) = (.string(pk), self.number(state.tick()))
        (records.live[pk], records.tombstones[pk], records.newest) = (row, nil, version(of: row))
        return self.success(present == nil ? 201 : 200, ["data": row])
    }

    private func success(
        _ status: Int, _ body: JSON, _ fields: [(name: String, value: String)] = []
    ) -> HTTPAnswer {
        HTTPAnswer(
            status: status, fields: self.fields + fields + [(name: "Content-Type", value: "application/json")],
            body: body.bytes)
    }

    private func error(_ status: Int, _ message: String, _ fields: [(name: String, value: String)] = []) -> HTTPAnswer {
        self.success(status, ["code": self.number(status), "message": .string(message)], fields)
    }

    private func number(_ value: Int) -> JSON { .number(JSONNumber(value)) }

    // MARK: What happens at the server

    /// The present records of a collection in the bucket “default”.
    func rows(_ collection: String = "notes") -> [String: JSON] {
        self.state.withLock { $0.collections["default/collections/\(collection)"]?.live ?? [:] }
    }

    /// Begins a write, and returns its end: as on PostgreSQL, it gets its version at once, and is visible at its end.
    func begin(_ pk: String, _ content: JSON) -> @Sendable () -> Void {
        let version = self.state.withLock { $0.tick() - 1_000 }
        return {
            self.change { records in
                var row = content
                (row["id"], row["last_modified"]) = (.string(pk), self.number(version))
                records.live[pk] = row
                records.newest = max(records.newest, version)
            }
        }
    }

    /// Forgets the tombstones.
    func purge() {
        self.change { records in
            records.tombstones = [:]
            records.newest = records.live.values.map { version(of: $0) }.max() ?? 0
        }
    }

    /// Deletes everything, as `POST /__flush__` does.
    func flush() { self.state.withLock { $0.collections = [:] } }

    /// Answers as to another account.
    func change(user: String) { self.state.withLock { $0.user = user } }

    private func change(_ body: (inout Records) -> Void) {
        self.state.withLock { state in
            guard var records = state.collections["default/collections/notes"] else { return }
            body(&records)
            state.collections["default/collections/notes"] = records
        }
    }
}

private func version(of row: JSON) -> Int { row["last_modified"]?.int ?? 0 }

extension JSON {
    /// The value as a server keeps it that reads integers of 64 bits, and other numbers as doubles.
    fileprivate var rounded: JSON {
        switch self.byType {
        case .number(let number):
            Int64(number.text) != nil || UInt64(number.text) != nil
                ? self : number.double.flatMap { JSONNumber($0) }.map { .number($0) } ?? self
        case .array(let elements): .array(elements.map(\.rounded))
        case .object(let members): .object(JSONObject(members.map { ($0, $1.rounded) }))
        case .null, .bool, .string: self
        }
    }
}

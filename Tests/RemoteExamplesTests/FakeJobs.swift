import Synchronization
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine

/// The server of `JobsServer`, in memory. It gives the next integer as the id, and a restored one gives its ids again.
final class FakeJobs: Sendable {
    /// All that a backup contains.
    struct Backup: Sendable {
        fileprivate var rows: [String: [Int: JSON]] = [:]
        fileprivate var lastID = 0
    }

    private struct State {
        var stored = Backup()

        /// The clock, which no backup sets back.
        var time = 100
        var fates: [String: HTTPAnswer?] = [:]
        var writes: [String] = []
    }

    private let state = Mutex(State())

    /// The rows of all jobs by id, without tombstones.
    var jobs: [Int: JSON] {
        self.state.withLock { ($0.stored.rows["jobs"] ?? [:]).filter { $0.value["deleted"] == nil } }
    }

    /// The writes that arrived.
    var writes: [String] { self.state.withLock { $0.writes } }

    var backup: Backup {
        get { self.state.withLock { $0.stored } }
        set { self.state.withLock { $0.stored = newValue } }
    }

    /// The next request of a method is answered with this; nil: it is served, and its answer is lost.
    func next(_ method: String, is answer: HTTPAnswer?) { self.state.withLock { $0.fates[method] = .some(answer) } }

    /// Writes a row as another program does.
    @discardableResult
    func make(_ content: JSON, in collection: String = "jobs") -> Int {
        self.state.withLock { Self.make(content, &$0, collection) }
    }

    @Sendable func answer(_ request: HTTPRequest) async throws -> HTTPAnswer {
        try self.state.withLock { (state) throws in
            let fate = state.fates.removeValue(forKey: request.method)
            if case .some(.some(let answer)) = fate { return answer }
            let answer = try Self.serve(request, &state)
            if case .some(.none) = fate { throw RemoteFailure(.offline, "The answer was lost.") }
            return answer
        }
    }

    private static func serve(_ request: HTTPRequest, _ state: inout State) throws -> HTTPAnswer {
        let parts = request.target.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/").map(String.init)
        if request.method != "GET" { state.writes.append("\(request.method) \(parts[0])") }
        let body = try request.body.map { try JSON(parsing: $0) }
        guard path.count == 2 else {
            guard request.method == "POST" else {
                return self.list(state.stored.rows[path[0]] ?? [:], parts.dropFirst().first)
            }
            let id = self.make(body ?? [:], &state, path[0])
            return self.answer(201, state.stored.rows[path[0]]?[id])
        }
        guard let id = Int(path[1]), var row = state.stored.rows[path[0]]?[id] else { return HTTPAnswer(status: 404) }
        guard request.method != "GET" else { return self.answer(200, row) }
        guard row["deleted"] == nil else { return HTTPAnswer(status: 404) }
        let condition = request.fields.first { $0.name == "If-Match" }?.value
        guard condition == "\"\(row["version"]?.text ?? "")\"" else { return HTTPAnswer(status: 412) }
        for (name, value) in body?.object ?? [:] { row[name] = value }
        if request.method == "DELETE" { row["deleted"] = true }
        self.store(row, id, &state, path[0])
        return self.answer(200, state.stored.rows[path[0]]?[id])
    }

    private static func make(_ content: JSON, _ state: inout State, _ collection: String) -> Int {
        state.stored.lastID += 1
        self.store(content, state.stored.lastID, &state, collection)
        return state.stored.lastID
    }

    private static func store(_ content: JSON, _ id: Int, _ state: inout State, _ collection: String) {
        var row = content
        state.time += 1
        row["id"] = JSON(id)
        row["version"] = JSON((row["version"]?.int ?? 0) + 1)
        row["updated_at"] = JSON(state.time)
        state.stored.rows[collection, default: [:]][id] = row
    }

    private static func list(_ rows: [Int: JSON], _ query: Substring?) -> HTTPAnswer {
        var (since, limit, ref) = (0, Int.max, String?.none)
        for pair in (query ?? "").split(separator: "&") {
            let sides = pair.split(separator: "=").map(String.init)
            switch sides[0] {
            case "updated_since": since = Int(sides[1]) ?? 0
            case "limit": limit = Int(sides[1]) ?? 0
            default: ref = sides.count > 1 ? Substring(sides[1]).removingPercents : ""
            }
        }
        func time(_ row: JSON) -> Int { row["updated_at"]?.int ?? 0 }
        let found = rows.values.filter { row in
            if let ref { return row["ref"] == JSON(ref) && row["deleted"] == nil }
            return time(row) > since
        }
        return self.answer(200, ["items": .array(Array(found.sorted { time($0) < time($1) }.prefix(limit)))])
    }

    private static func answer(_ status: Int, _ body: JSON?) -> HTTPAnswer {
        HTTPAnswer(status: status, body: body?.bytes ?? [])
    }
}

import Synchronization
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// The server of `CoreDataSyncServer`, in memory, with the rules of 2012.
///
/// It takes the time of a write, compares the rows with `max_updated_at`, and then writes: other requests may come between.
/// It has no order of rows, and tells nothing of an unknown member, a removed member, or a time that two rows share.
final class FakeCoreDataSync: Sendable {
    private struct State {
        var now = 1_351_000_000_000
        var tick = 1
        var collections: [String: [CodePointString: JSONObject]] = [:]
        var between: (@Sendable () async -> Void)?
        var posts: [JSON] = []
    }

    private let state = Mutex(State())

    /// The bodies of the POSTs so far.
    var posts: [JSON] { self.state.withLock { $0.posts } }

    /// How far the clock moves with each request, in milliseconds.
    func setTick(_ tick: Int) { self.state.withLock { $0.tick = tick } }

    /// Runs once, in the next POST between the comparison and the write.
    func onNextWrite(_ between: @escaping @Sendable () async -> Void) {
        self.state.withLock { $0.between = between }
    }

    /// Copies all rows, as a backup does, and returns a function that restores them.
    func backUp() -> @Sendable () -> Void {
        let collections = self.state.withLock { $0.collections }
        return { self.state.withLock { $0.collections = collections } }
    }

    /// The records that are not deleted, by pk.
    func rows(in collection: String) -> [String: JSON] {
        let rows = self.state.withLock { $0.collections[collection] ?? [:] }
        return Dictionary(
            uniqueKeysWithValues: rows.filter { $0.value["is_active"]?.bool == true }.map {
                ($0.key.value, $0.value.json)
            }
        )
    }

    /// Serves one request.
    @Sendable func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        let parts = request.target.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/").map { decoded($0) }
        self.state.withLock { $0.now += $0.tick }
        guard request.method == "POST" else {
            if path.count == 2 {
                let row = self.state.withLock { $0.collections[path[0]]?[CodePointString(path[1])] }
                return row.map { answer200($0.json) } ?? HTTPAnswer(status: 404)
            }
            let since = parts.dropFirst().first.flatMap { JSONNumber(String($0.dropFirst("max_updated_at=".count))) }
            guard let since else { return HTTPAnswer(status: 400) }
            return answer200(["items": .array(self.rows(in: path[0], after: since, conflicts: nil))])
        }
        guard let body = request.body.flatMap({ try? JSON(parsing: $0) }), let since = body["max_updated_at"]?.number,
            let items = body["items"]?.array?.map({ $0.object ?? JSONObject() })
        else { return HTTPAnswer(status: 400) }
        return await self.post(items, in: path[0], after: since, body)
    }

    private func post(
        _ items: [JSONObject], in collection: String, after since: JSONNumber, _ body: JSON
    ) async -> HTTPAnswer {
        func pk(_ item: JSONObject) -> CodePointString { CodePointString(item["pk"]?.string ?? "") }
        guard items.allSatisfy({ !pk($0).value.isEmpty }) else {
            return HTTPAnswer(status: 400, body: Array(#"{"error":"An item has no pk."}"#.utf8))
        }
        let (time, conflicts, between) = self.state.withLock { state in
            state.posts.append(body)
            let rows = state.collections[collection] ?? [:]
            let conflicts = items.map(pk).filter { pk in
                rows[pk]?["updated_at"]?.number.map { since < $0 } ?? false
            }
            let between = state.between
            state.between = nil
            return (state.now, Set(conflicts), between)
        }
        await between?()
        self.state.withLock { state in
            for item in items where !conflicts.contains(pk(item)) {
                var row = state.collections[collection]?[pk(item)] ?? JSONObject()
                for (name, value) in item { row[name] = value }
                row["updated_at"] = .number(JSONNumber(time))
                state.collections[collection, default: [:]][pk(item)] = row
            }
        }
        let written = Dictionary(uniqueKeysWithValues: Set(items.map(pk)).map { ($0, conflicts.contains($0)) })
        return answer200(["items": .array(self.rows(in: collection, after: since, conflicts: written))])
    }

    /// The rows that are newer than a time; those of a POST say whether they are conflicted.
    private func rows(in collection: String, after since: JSONNumber, conflicts: [CodePointString: Bool]?) -> [JSON] {
        let rows = self.state.withLock { $0.collections[collection] ?? [:] }
        return rows.filter { $0.value["updated_at"]?.number.map { since < $0 } ?? false }.map { pk, row in
            var row = row
            row["is_conflicted"] = .bool(conflicts?[pk] ?? false)
            return row.json
        }
    }
}

func answer200(_ body: JSON) -> HTTPAnswer {
    HTTPAnswer(status: 200, fields: [(name: "Content-Type", value: "application/json")], body: body.bytes)
}

extension JSONObject {
    var json: JSON { .object(self) }
}

/// A segment of a path without its percent-encoding.
private func decoded(_ segment: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = segment.utf8[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else {
            bytes.append(byte)
            continue
        }
        bytes.append(value)
        rest.removeFirst(2)
    }
    return String(decoding: bytes, as: UTF8.self)
}

import Synchronization
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// The server of `ShopServer`, in memory. Each request is served in one step.
final class FakeShop: Sendable {
    private struct State {
        var now = 1_763_000_000_000
        var collections: [String: [CodePointString: JSON]] = [:]
        var hidden: Set<CodePointString> = []
    }

    /// Whether writes have to name the version.
    private let checks: Bool

    /// Whether a PATCH is a merge patch (RFC 7396).
    private let merges: Bool
    private let state = Mutex(State())

    init(checks: Bool = true, merges: Bool = false) {
        self.checks = checks
        self.merges = merges
    }

    /// The records that are not deleted, by pk.
    func rows(in collection: String) -> [String: JSON] {
        let rows = self.state.withLock { $0.collections[collection] ?? [:] }
        return Dictionary(
            uniqueKeysWithValues: rows.filter { $0.value["deleted"] == nil }.map { ($0.key.value, $0.value) })
    }

    /// Moves the server's clock.
    func advance(milliseconds: Int) { self.state.withLock { $0.now += milliseconds } }

    /// Leaves these rows out of lists, as if their transactions were not committed yet.
    func hide(_ pks: Set<CodePointString>) { self.state.withLock { $0.hidden = pks } }

    /// Serves one request.
    @Sendable func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let parts = request.target.split(separator: "?", maxSplits: 1)
        let path = parts[0].split(separator: "/").map { Self.decoded($0) }
        return self.state.withLock { state in
            guard let collection = path.first else { return HTTPAnswer(status: 404) }
            guard path.count == 2 else {
                var query: [Substring: Int] = [:]
                for pair in parts.dropFirst().joined().split(separator: "&") {
                    let sides = pair.split(separator: "=")
                    query[sides[0]] = Int(sides[1])
                }
                let hidden = state.hidden
                let visible = (state.collections[collection] ?? [:]).filter { !hidden.contains($0.key) }
                return Self.list(visible, query)
            }
            let pk = CodePointString(path[1])
            let row = state.collections[collection]?[pk]
            if request.method == "GET" { return row.map { Self.answer(200, $0) } ?? HTTPAnswer(status: 404) }
            if self.checks, let refusal = Self.refusal(of: request, row) { return refusal }
            let isPresent = row.map { $0["deleted"] == nil } ?? false
            guard isPresent || request.method == "PUT" else { return HTTPAnswer(status: 404) }
            guard let written = self.written(by: request, over: row) else {
                return HTTPAnswer(status: 422, body: Array(#"{"title":"The record is not an object."}"#.utf8))
            }
            state.now += 7
            let stamped = JSONObject(
                written.map { ($0.key, $0.value) } + [
                    ("id", .string(pk.value)), ("updated_at", .number(JSONNumber(state.now))),
                ])
            state.collections[collection, default: [:]][pk] = .object(stamped)
            return request.method == "DELETE" ? HTTPAnswer(status: 204) : Self.answer(200, .object(stamped))
        }
    }

    private static func list(_ rows: [CodePointString: JSON], _ query: [Substring: Int]) -> HTTPAnswer {
        func time(_ row: JSON) -> Int { row["updated_at"]?.int ?? 0 }
        let sorted = rows.values.filter { time($0) >= query["updated_since"] ?? 0 }.sorted { time($0) < time($1) }
        return Self.answer(200, ["items": .array(Array(sorted.prefix(query["limit"] ?? 100)))])
    }

    /// Compares the version of a write with that of the row.
    private static func refusal(of request: HTTPRequest, _ row: JSON?) -> HTTPAnswer? {
        let field = request.fields.first { $0.name == "If-Match" || $0.name == "If-None-Match" }
        guard let field else { return HTTPAnswer(status: 428) }
        if field.name == "If-None-Match" {
            return row.flatMap { $0["deleted"] == nil ? Self.answer(412, $0) : nil }
        }
        guard let row else { return request.method == "DELETE" ? HTTPAnswer(status: 404) : HTTPAnswer(status: 412) }
        return field.value == "\"\(row["updated_at"]?.text ?? "")\"" ? nil : Self.answer(412, row)
    }

    private func written(by request: HTTPRequest, over row: JSON?) -> JSONObject? {
        guard request.method != "DELETE" else { return ["deleted": true] }
        guard let sent = request.body.flatMap({ try? JSON(parsing: $0) })?.object else { return nil }
        var members = request.method == "PATCH" ? row?.object ?? JSONObject() : JSONObject()
        if self.merges, request.method == "PATCH" {
            members = JSONMergePatch(.object(sent)).apply(to: .object(members)).object ?? members
        } else {
            for (name, value) in sent { members[name] = value }
        }
        for name in ["id", "updated_at", "deleted"] { members[name] = nil }
        return members
    }

    private static func answer(_ status: Int, _ body: JSON) -> HTTPAnswer {
        HTTPAnswer(status: status, fields: [(name: "Content-Type", value: "application/json")], body: body.bytes)
    }

    private static func decoded(_ segment: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = segment.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"),
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest.removeFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import Foundation
import Synchronization
import TidemarkHTTPClient
import TidemarkJSON

/// A server in memory with the rules of a CouchDB of one node.
final class FakeCouch: Sendable {
    private struct Document {
        var sequence: Int
        var version: String
        var isDeleted: Bool
        var content: JSON
    }

    private struct State {
        var startTime = 1_795_000_000
        var sequence = 0
        var documents: [String: Document] = [:]
        var forbidden: String?
        var requests = 0
    }

    private let state = Mutex(State())

    /// The number of requests.
    var requests: Int { self.state.withLock { $0.requests } }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        self.state.withLock { state in
            state.requests += 1
            let parts = request.target.split(separator: "?", maxSplits: 1)
            let path = (parts.first ?? "").split(separator: "/").map { $0.removingPercents }
            let body = request.body.flatMap { try? JSON(parsing: $0) }
            switch (request.method, path.first, path.count > 1 ? path[1] : nil) {
            case ("GET", "notes", nil):
                let time = "\(state.startTime)"
                return self.answer(200, ["db_name": "notes", "instance_start_time": .string(time)])
            case ("GET", "notes", "_changes"): return self.changes(parts.count > 1 ? String(parts[1]) : "", state)
            case ("POST", "notes", "_bulk_docs"): return self.write(body?["docs"]?.array ?? [], &state)
            case ("POST", "notes", "_all_docs"): return self.read(body?["keys"]?.array ?? [], state)
            default: return self.answer(404, ["error": "not_found", "reason": "Database does not exist."])
            }
        }
    }

    private func changes(_ query: String, _ state: State) -> HTTPAnswer {
        var (since, limit) = (0, Int.max)
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=").map { $0.removingPercents }
            if pair[0] == "limit" { limit = Int(pair[1]) ?? 0 }
            guard pair[0] == "since" else { continue }
            // A sequence is opaque: a number with a text.
            guard let number = Int(pair[1].prefix { $0 != "-" }), pair[1].hasSuffix("-g1AAAA/+") else {
                return self.answer(400, ["error": "bad_request", "reason": "Malformed sequence supplied in 'since'."])
            }
            since = number
        }
        let newer = state.documents.filter { $0.value.sequence > since }.sorted {
            $0.value.sequence < $1.value.sequence
        }
        let page = newer.prefix(limit).map { id, document -> JSON in
            var change: JSONObject = [
                "seq": self.sequence(document.sequence), "id": .string(id),
                "changes": [["rev": .string(document.version)]], "doc": document.content,
            ]
            if document.isDeleted { change["deleted"] = true }
            return .object(change)
        }
        let last = newer.count > limit ? newer[limit - 1].value.sequence : max(state.sequence, since)
        return self.answer(
            200,
            [
                "results": .array(page), "last_seq": self.sequence(last),
                "pending": .number(JSONNumber(newer.count - page.count)),
            ])
    }

    private func sequence(_ number: Int) -> JSON { .string("\(number)-g1AAAA/+") }

    private func write(_ documents: [JSON], _ state: inout State) -> HTTPAnswer {
        let reserved = ["_id", "_rev", "_deleted", "_attachments"]
        let names = documents.flatMap { $0.object?.keys ?? [] }
        if let name = names.first(where: { $0.hasPrefix("_") && !reserved.contains($0) }) {
            return self.answer(
                400, ["error": "doc_validation", "reason": .string("Bad special document member: \(name)")])
        }
        let ids = documents.map { $0["_id"]?.string ?? "" }
        guard ids.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("_") }) else {
            return self.answer(
                400, ["error": "illegal_docid", "reason": "Only reserved document ids may start with _."])
        }
        return self.answer(201, .array(zip(ids, documents).map { self.write($0, $1, &state) }))
    }

    private func write(_ id: String, _ document: JSON, _ state: inout State) -> JSON {
        if let name = state.forbidden, document[name] != nil {
            return ["id": .string(id), "error": "forbidden", "reason": .string("no \(name)")]
        }
        let present = state.documents[id]
        let isFree = present.map { $0.isDeleted } ?? true
        guard document["_rev"]?.string == present?.version || (isFree && document["_rev"] == nil) else {
            return ["id": .string(id), "error": "conflict", "reason": "Document update conflict."]
        }
        state.sequence += 1
        let generation = (present.flatMap { Int($0.version.prefix { $0 != "-" }) } ?? 0) + 1
        let version = "\(generation)-\(String(0xC0FFEE + state.sequence * 7_919, radix: 16))"
        let isDeleted = document["_deleted"]?.bool ?? false
        var content: JSONObject = ["_id": .string(id), "_rev": .string(version)]
        for (name, value) in document.object ?? [:] where name != "_id" && name != "_rev" {
            content[name] = value.asErlangReads
        }
        state.documents[id] = Document(
            sequence: state.sequence, version: version, isDeleted: isDeleted, content: .object(content))
        return ["ok": true, "id": .string(id), "rev": .string(version)]
    }

    private func read(_ keys: [JSON], _ state: State) -> HTTPAnswer {
        let rows = keys.map { key -> JSON in
            guard let id = key.string, let document = state.documents[id] else {
                return ["key": key, "error": "not_found"]
            }
            guard !document.isDeleted else {
                let value: JSON = ["rev": .string(document.version), "deleted": true]
                return ["id": key, "key": key, "value": value, "doc": .null]
            }
            return ["id": key, "key": key, "value": ["rev": .string(document.version)], "doc": document.content]
        }
        return self.answer(200, ["total_rows": 0, "rows": .array(rows)])
    }

    private func answer(_ status: Int, _ body: JSON) -> HTTPAnswer {
        HTTPAnswer(status: status, fields: [(name: "Content-Type", value: "application/json")], body: body.bytes)
    }

    // MARK: What happens at the server

    /// The present records.
    var rows: [String: JSON] {
        self.state.withLock { state in state.documents.filter { !$0.value.isDeleted }.mapValues(\.content) }
    }

    /// Writes a document as another client would.
    func put(_ id: String, _ document: JSON) {
        self.state.withLock { state in
            var document = document
            document["_rev"] = state.documents[id].map { .string($0.version) }
            _ = self.write(id, document, &state)
        }
    }

    /// Deletes the database, and makes it again.
    func makeAgain() {
        self.state.withLock { state in
            state = State(startTime: state.startTime + 1, requests: state.requests)
        }
    }

    /// Refuses documents with a member, as a validation function does.
    func forbid(_ member: String) { self.state.withLock { $0.forbidden = member } }
}

extension JSON {
    /// The value as Erlang keeps it: integers of any size, and other numbers as doubles.
    fileprivate var asErlangReads: JSON {
        switch self.byType {
        case .number(let number):
            number.text.utf8.allSatisfy { $0 == 45 || (48...57).contains($0) }
                ? self : number.double.flatMap { JSONNumber($0) }.map { .number($0) } ?? self
        case .array(let elements): .array(elements.map(\.asErlangReads))
        case .object(let members): .object(JSONObject(members.map { ($0, $1.asErlangReads) }))
        case .null, .bool, .string: self
        }
    }
}

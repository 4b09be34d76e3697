import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkTesting

/// A plain server of rows in JSON over HTTP, in memory, with the abilities of a form.
final class LesserServer {
    /// A request to the server.
    enum Request: Sendable {
        /// The rows since a version, or the whole list.
        case changes(collection: String, since: Int?, limit: Int)
        case row(SimulationStep.Place)
        /// Writes; the answer to each is separate.
        case write([Write])
    }

    /// A write of one record.
    struct Write: Hashable, Sendable {
        var place: SimulationStep.Place
        var requestID: String

        /// Nil for a delete.
        var body: JSON?

        /// Whether the body has only the members to replace.
        var isPatch: Bool

        /// The version that the edit was made on, if it has one.
        var base: String?
    }

    /// The effect of a write.
    struct Effect {
        var before: JSON?

        /// The record as it was sent, with the members that a patch leaves as they are.
        var sent: JSON?

        /// Whether the row had the version that the edit was made on.
        var isCurrent: Bool
    }

    private struct Row {
        var version: Int
        /// The whole row; a tombstone is marked as deleted.
        var json: JSON
        var isDeleted: Bool

        var content: JSON? { self.isDeleted ? nil : self.json }
    }

    let form: LesserForm
    private let clock: ManualClock
    private var generator: SeededGenerator
    private var rows: [SimulationStep.Place: Row] = [:]
    private var versions: Set<Int> = []

    /// How often it did less.
    var tally = LesserTally()

    /// Each edit as its remote has translated it, by request id.
    private var writes: [String: Write] = [:]

    /// The edits that are refused for their content, and those that were accepted.
    private var refused: Set<String> = []
    private var accepted: Set<String> = []

    init(_ form: LesserForm, seed: UInt64, clock: ManualClock) {
        self.form = form
        self.generator = SeededGenerator(seed: seed)
        self.clock = clock
    }

    /// A present row, as a client stores it.
    func stored(_ place: SimulationStep.Place) -> StoredVersion {
        self.rows[place].map { StoredVersion(version: "\($0.version)", data: $0.content?.bytes) } ?? StoredVersion()
    }

    /// Milliseconds.
    private var now: Int { Int(self.clock.microseconds / 1_000) }

    private func pick<Value>(_ values: [Value]) -> Value {
        values[Int(self.generator.next() % UInt64(values.count))]
    }

    // MARK: Reading

    /// Answers a request that reads.
    func list(_ collection: String, since: Int?, limit: Int) -> HTTPAnswer {
        self.clock.advance(by: .milliseconds(self.pick([1, 1, 700, 3_000])))
        // In an order that each process repeats.
        let own = self.rows.filter { $0.key.collection == collection }.sorted { $0.key.pk < $1.key.pk }.map(\.value)
        if self.form.feed == .list {
            let items = own.filter { !$0.isDeleted }.map(\.json)
            return Self.answer(200, ["items": .array(items)])
        }
        let newer = own.filter { row in
            since.map { self.form.isInclusive ? row.version >= $0 : row.version > $0 } ?? true
        }
        let page = newer.sorted { $0.version < $1.version }.prefix(min(limit, self.form.pageRows))
        return Self.answer(200, ["items": .array(page.map(\.json))])
    }

    func row(_ place: SimulationStep.Place) -> HTTPAnswer {
        guard let row = self.rows[place], self.form.feed != .list || !row.isDeleted else {
            return HTTPAnswer(status: 404)
        }
        return Self.answer(200, row.json)
    }

    // MARK: Writing

    /// Refuses an edit for its content, unless it was accepted already.
    func refuse(_ id: String) {
        if !self.accepted.contains(id) { self.refused.insert(id) }
    }

    /// Carries out a write. The effect is nil if nothing was written.
    func answer(_ write: Write) throws(SimulationViolation) -> (answer: HTTPAnswer, effect: Effect?) {
        if self.refused.contains(write.requestID) {
            return (HTTPAnswer(status: 422, body: Array(#"{"title":"Not taken"}"#.utf8)), nil)
        }
        if let former = self.writes.updateValue(write, forKey: write.requestID), former != write {
            throw SimulationViolation("I5", "an edit is translated in two ways", write.place.text)
        }
        let (answer, effect) = self.write(write)
        if effect != nil { self.accepted.insert(write.requestID) }
        return (answer, effect)
    }

    private func write(_ write: Write) -> (answer: HTTPAnswer, effect: Effect?) {
        self.clock.advance(by: .milliseconds(self.pick([1, 7])))
        let row = self.rows[write.place]
        let present = row?.content
        let isCurrent = write.base == row.map { "\($0.version)" } || write.base == nil && present == nil
        if self.form.condition == .compared, !isCurrent {
            if write.body == nil, present == nil { return (HTTPAnswer(status: 404), nil) }
            return (self.form.answersRows ? self.answer(412, row) : HTTPAnswer(status: 412), nil)
        }
        guard present != nil || write.body != nil && !write.isPatch else { return (HTTPAnswer(status: 404), nil) }
        var members = write.isPatch ? present?.object ?? JSONObject() : JSONObject()
        for (name, value) in write.body?.object ?? JSONObject() { members[name] = value }
        let sent = write.body.map { _ in JSON.object(members) }
        if self.form.isRounding { members = JSONObject(members.map { ($0.key, self.rounded($0.value)) }) }
        if sent != nil, JSON.object(members) != sent { self.tally.alterations += 1 }
        if write.body == nil { members = ["deleted": true] }
        let version = self.version()
        members["id"] = .string(JSONString(write.place.pk))
        members["updated_at"] = .number(JSONNumber(version))
        if self.form.sortsMembers { members = JSONObject(members.sorted { $0.key < $1.key }) }
        // A client gets the bytes that the server writes.
        let json = (try? JSON(parsing: JSON.object(members).bytes)) ?? .object(members)
        self.rows[write.place] = Row(version: version, json: json, isDeleted: write.body == nil)
        let answer =
            self.form.answersRows && write.body != nil
            ? self.answer(200, self.rows[write.place]) : HTTPAnswer(status: 204)
        return (answer, Effect(before: present, sent: sent, isCurrent: isCurrent))
    }

    /// The version of a write: the time at its beginning, which is some seconds before its commit if rows are late.
    private func version() -> Int {
        let late = self.form.feed == .late ? self.pick([0, 0, 5, 900, LesserForm.overlap - 200]) : 0
        var version = self.now - late
        while self.versions.contains(version) { version += 1 }
        if version > self.now { self.clock.set(to: .milliseconds(version)) }
        if let last = self.versions.max(), version < last { self.tally.lateRows += 1 }
        self.versions.insert(version)
        return version
    }

    /// Cuts texts and arrays after three values, and stores even numbers as a double.
    private func rounded(_ value: JSON) -> JSON {
        if let text = value.string {
            let words = text.split(separator: " ")
            return words.count > 3 ? .string(JSONString(words.prefix(3).joined(separator: " "))) : value
        }
        if let elements = value.array, elements.count > 3 { return .array(Array(elements.prefix(3))) }
        if let number = value.int { return .number(JSONNumber(Double(number / 2 * 2)) ?? JSONNumber(number)) }
        return value
    }

    private func answer(_ status: Int, _ row: Row?) -> HTTPAnswer {
        row.map { Self.answer(status, $0.json) } ?? HTTPAnswer(status: status)
    }

    private static func answer(_ status: Int, _ body: JSON) -> HTTPAnswer {
        HTTPAnswer(status: status, fields: [(name: "Content-Type", value: "application/json")], body: body.bytes)
    }
}

extension LesserServer.Request: CustomStringConvertible {
    var description: String {
        switch self {
        case .changes(let collection, let since, let limit):
            "changes of \(collection) since \(since.map { "\($0)" } ?? "the start"), at most \(limit)"
        case .row(let place): "the row \(place.text)"
        case .write(let writes):
            writes.map { write in
                let verb = write.body == nil ? "delete" : write.isPatch ? "patch" : "put"
                return "\(verb) \(write.place.text) over \(write.base ?? "nothing") \(write.body?.text ?? "")"
            }.joined(separator: ", ")
        }
    }

    /// The number of its answers.
    var count: Int {
        if case .write(let writes) = self { writes.count } else { 1 }
    }
}

/// How often a server did less, over one or more runs.
package struct LesserTally: Hashable, Sendable {
    /// The acknowledged words that were overwritten, as the guarantees say.
    package var overwritten = 0

    /// The rows that were committed behind a version that a reader may have read.
    package var lateRows = 0

    /// The writes that stored another value than was sent, and the journals' entries about them.
    package var alterations = 0
    package var altered = 0

    package init() {}

    /// Adds the numbers of another run.
    package mutating func add(_ other: LesserTally) {
        self.overwritten += other.overwritten
        self.lateRows += other.lateRows
        self.alterations += other.alterations
        self.altered += other.altered
    }
}

import Synchronization
import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkRules

/// A server over rows in memory, with versions that are numbers.
final class Shelf: Sendable {
    /// The abilities of the server.
    struct Form: Hashable, Sendable {
        /// Whether it compares versions.
        var checks = true

        /// Whether an answer to a write has the row.
        var answersRows = true

        /// Whether writes come as a batch.
        var isBatch = false

        /// Whether it has a feed; otherwise it lists everything.
        var hasFeed = true

        /// Whether one request does both.
        var isWhole = false
    }

    private struct State {
        var version = 0
        var rows: [CodePointString: [CodePointString: ServerRow]] = [:]
        var calls: [String] = []
        var fault: (@Sendable (String) throws -> Void)?
        var epoch: String?
        var drops = false
        var conflicts = false
        var reverses = false
    }

    private let state = Mutex(State())

    /// The calls so far, for example `write 42`.
    var calls: [String] { self.state.withLock { $0.calls } }

    /// Runs before each call, and may throw.
    func onCall(_ fault: (@Sendable (String) throws -> Void)?) { self.state.withLock { $0.fault = fault } }

    /// The history; nil if the server has none.
    var epoch: String? {
        get { self.state.withLock { $0.epoch } }
        set { self.state.withLock { $0.epoch = newValue } }
    }

    /// Whether writes are accepted and lost.
    var drops: Bool {
        get { self.state.withLock { $0.drops } }
        set { self.state.withLock { $0.drops = newValue } }
    }

    /// Whether each write is answered as a conflict.
    var conflicts: Bool {
        get { self.state.withLock { $0.conflicts } }
        set { self.state.withLock { $0.conflicts = newValue } }
    }

    /// Whether a batch is answered in the reverse order.
    var reverses: Bool {
        get { self.state.withLock { $0.reverses } }
        set { self.state.withLock { $0.reverses = newValue } }
    }

    private func note(_ call: String) throws {
        let fault = self.state.withLock { state in
            state.calls.append(call)
            return state.fault
        }
        try fault?(call)
    }

    func row(_ pk: String, in collection: String) throws -> ServerRow? {
        try self.note("row \(pk)")
        return self.state.withLock { $0.rows[CodePointString(collection)]?[CodePointString(pk)] }
    }

    func rows(in collection: String, after version: Int, limit: Int) throws -> [ServerRow] {
        try self.note("changes \(version)")
        return self.state.withLock { state in
            let rows = (state.rows[CodePointString(collection)] ?? [:]).values
            let newer = rows.filter { ($0.version.int ?? 0) > version }
            return Array(newer.sorted { ($0.version.int ?? 0) < ($1.version.int ?? 0) }.prefix(limit))
        }
    }

    /// Writes a row, if its version is the expected one.
    func put(_ pk: String, _ content: JSON?, in collection: String, expecting version: String??) throws -> RowAnswer {
        try self.note("write \(pk)")
        return self.state.withLock { state in
            let (name, pk) = (CodePointString(collection), CodePointString(pk))
            let present = state.rows[name]?[pk]
            if state.conflicts { return .conflicted(present) }
            if state.drops { return .accepted(present) }
            if content == nil, present?.content == nil { return .accepted(present) }
            if let version, version != present?.version.text { return .conflicted(present) }
            state.version += 1
            let row = ServerRow(pk: pk.value, version: .number(JSONNumber(state.version)), content: content)
            state.rows[name, default: [:]][pk] = row
            return .accepted(row)
        }
    }
}

/// The functions over a shelf.
struct ShelfServer: RowServer {
    let shelf: Shelf
    let form: Shelf.Form
    var capabilities: RemoteCapabilities

    init(_ shelf: Shelf = Shelf(), _ form: Shelf.Form = Shelf.Form()) {
        self.shelf = shelf
        self.form = form
        self.capabilities = .rows(
            condition: form.checks ? .atomic : .checkedFirst(watch: .zero), feed: form.hasFeed ? .ordered : .listing,
            tombstones: form.hasFeed ? .forever : .none)
    }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        guard self.form.hasFeed else {
            return .list(try self.shelf.rows(in: collection, after: 0, limit: .max).filter { $0.content != nil })
        }
        if let cursor, Int(cursor) == nil { throw RemoteFailure(.historyLost, "“\(cursor)” is not a cursor.") }
        let rows = try self.shelf.rows(in: collection, after: cursor.flatMap { Int($0) } ?? 0, limit: limit + 1)
        let page = Array(rows.prefix(max(limit, 0)))
        return RowChanges(page, cursor: page.last?.version.text ?? cursor, hasMore: rows.count > limit)
    }

    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        guard !edit.pk.isEmpty else { return .refused(status: 400, "The pk is empty.") }
        if edit.intent == .edit, self.form.checks, try self.shelf.row(edit.pk, in: collection)?.content == nil {
            return .conflicted(try self.shelf.row(edit.pk, in: collection))
        }
        let content: JSON?
        do {
            content = try edit.record()
        } catch {
            return .refused(status: 422, error.message)
        }
        if let content, content.object == nil { return .refused(status: 422, "The record is not an object.") }
        let answer = try self.shelf.put(
            edit.pk, content, in: collection, expecting: self.form.checks ? .some(edit.version) : nil)
        guard !self.form.answersRows else { return answer }
        switch answer {
        case .accepted: return .accepted(nil)
        case .conflicted: return .conflicted(nil)
        case .refused, .unknown: return answer
        }
    }

    func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        try self.shelf.row(pk, in: collection)
    }

    func write(_ edits: [UploadRequest], in collection: String) async throws -> [RowAnswer]? {
        guard self.form.isBatch else { return nil }
        var answers: [RowAnswer] = []
        for edit in edits { answers.append(try await self.write(edit, in: collection)) }
        return self.shelf.reverses ? answers.reversed() : answers
    }

    func identity(in collection: String) async throws -> ServerIdentity { ServerIdentity(epoch: self.shelf.epoch) }

    func exchange(_ request: ExchangeRequest) async throws -> RowExchange? {
        guard self.form.isWhole else { return nil }
        var answers: [RowAnswer] = []
        for edit in request.uploads { answers.append(try await self.write(edit, in: request.collection)) }
        let changes = try await self.changes(in: request.collection, after: request.cursor, limit: request.limit)
        return RowExchange(answers: answers, changes: changes)
    }
}

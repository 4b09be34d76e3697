import Foundation
import Observation
import Tidemark

/// The planner of one account: what its views read, and what its buttons do.
@MainActor
@Observable
final class Planner {
    let lists: RecordListModel<ItemList>
    let items: RecordListModel<Item>
    let conflicts: ConflictListModel
    let status: StatusModel
    let history: UndoHistory

    /// What the list of items shows; a change gives another query.
    var search = "" { didSet { self.items.query = self.query } }
    var shown: String? { didSet { self.items.query = self.query } }

    /// The last error of an action, for the user, who dismisses it; nil if there is none.
    var problem: String?

    @ObservationIgnored private let client: SyncClient
    @ObservationIgnored private let allLists: SyncCollection<ItemList>
    @ObservationIgnored private let allItems: SyncCollection<Item>

    init(_ client: SyncClient) {
        self.client = client
        self.allLists = client.collection("lists", of: ItemList.self)
        self.allItems = client.collection("items", of: Item.self, dates: Item.dates)
        self.lists = RecordListModel(self.allLists, RecordQuery(order: [.ascending("/name")]))
        self.items = RecordListModel(self.allItems, RecordQuery(), limit: 200)
        self.conflicts = ConflictListModel(client)
        self.status = StatusModel(client)
        self.history = UndoHistory(client)
        self.items.query = self.query
    }

    /// Syncs, and follows everything that views read, until the task is cancelled.
    func run() async throws {
        async let models: Void = self.follow()
        try await self.client.run()
        await models
    }

    /// Follows everything that views read, until the task is cancelled.
    func follow() async {
        async let lists: Void = self.lists.follow()
        async let items: Void = self.items.follow()
        async let conflicts: Void = self.conflicts.follow()
        async let status: Void = self.status.follow()
        _ = await (lists, items, conflicts, status)
    }

    /// Whether everything that views read was read.
    var isLoaded: Bool {
        self.lists.isLoaded && self.items.isLoaded && self.conflicts.isLoaded && self.status.status != nil
    }

    /// The error that ended ``follow()``, if there is one.
    var failure: TidemarkError? {
        self.lists.failure ?? self.items.failure ?? self.conflicts.failure ?? self.status.failure
    }

    private var query: RecordQuery {
        var condition = Item.Field.status != .done
        if let shown { condition = condition && Item.Field.list == shown }
        if !self.search.isEmpty { condition = condition && Item.Field.title.contains(self.search, ignoringCase: true) }
        return RecordQuery(where: condition, order: [.ascending("/due"), .ascending("/title")])
    }
}

// MARK: - Actions, each one step of undo

extension Planner {
    func addList(_ name: String) async -> String? {
        await self.perform("New list") { [lists = self.allLists] t in try t[lists].create(ItemList(name: name)).pk }
    }

    func add(_ item: Item) async -> String? {
        await self.perform("New item") { [items = self.allItems] t in try t[items].create(item).pk }
    }

    func vote(_ pk: String) async {
        await self.perform("Vote") { [items = self.allItems] t in try t[items][pk].edit { $0.votes += 1 } }
    }

    func set(_ status: Item.Status, of pks: [String]) async {
        await self.perform("Change status") { [items = self.allItems] t in
            for pk in pks { try t[items][pk].edit { $0.status = status } }
        }
    }

    func move(_ pks: [String], to list: String) async {
        await self.perform("Move") { [items = self.allItems] t in
            for pk in pks { try t[items][pk].edit { $0.list = list } }
        }
    }

    /// Deletes a list with its items. Items of another version of the app are in the list, too, so they are found as JSON.
    func deleteList(_ pk: String) async {
        await self.perform("Delete list") { t in
            for item in try t["items"].all(RecordQuery(where: Item.Field.list == pk)).records {
                try t["items"][item.pk].delete()
            }
            try t["lists"][pk].delete()
        }
    }

    /// Sends and fetches once; ``words`` tell the result.
    func sync() async {
        await self.attempt { _ = try await self.client.sync() }
    }

    /// Decides a conflict, if each of its fields has an answer.
    func decide(_ open: OpenConflict, _ choices: RecordConflict.Choices) async {
        guard let verdict = choices.verdict else { return }
        await self.attempt { try await open.resolve(verdict) }
    }

    /// - Returns: What was left as it is, since it was changed meanwhile.
    func undo() async -> [UndoHistory.Left] {
        await self.attempt { try await self.history.undo() } ?? []
    }

    func redo() async -> [UndoHistory.Left] {
        await self.attempt { try await self.history.redo() } ?? []
    }

    @discardableResult
    private func perform<Value: Sendable>(
        _ name: String, _ body: @Sendable (RecordTransaction) throws -> Value
    ) async -> Value? {
        await self.attempt { try await self.history.perform(name, body) }
    }

    @discardableResult
    private func attempt<Value>(_ body: () async throws -> Value) async -> Value? {
        do {
            self.problem = nil
            return try await body()
        } catch {
            self.problem = (error as? TidemarkError)?.message ?? "\(error)"
            return nil
        }
    }
}

// MARK: - Forms, badges, words

extension Planner {
    func form(of pk: String) async throws -> DraftModel<Item> { DraftModel(try await self.allItems[pk].draft()) }

    /// Saves a form; the save is a step of undo, too.
    func save(
        _ form: DraftModel<Item>, preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:]
    ) async {
        if let edit = await form.save(preferring: answers) { await self.history.record([edit], "Edit") }
    }

    /// The messages of the server for the fields of an item that it refused.
    func refusals(of pk: String) async throws -> [String: [String]] {
        try await self.allItems[pk].snapshot()?.hold?.problem?.errors ?? [:]
    }

    func badge(of item: RecordValue<Item>) -> String {
        if item.needsAttention { "!" } else if item.isPending { "…" } else { "" }
    }

    var words: String {
        guard let status = self.status.status else { return "" }
        switch status.summary {
        case .inSync: return "Up to date"
        case .checking: return "Checking"
        case .pending: return "\(status.unsentCount) not sent, \(status.conflictCount) to decide"
        case .syncing(let done, let all): return all.map { "\(done) of \($0)" } ?? "\(done)"
        case .waiting(_, let why), .paused(let why): return why.message
        case .offline: return "Offline"
        }
    }
}

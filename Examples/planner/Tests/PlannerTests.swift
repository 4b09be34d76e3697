import Foundation
import TestSupport
import Tidemark
import TidemarkTesting
import Testing

@testable import planner

/// The planner of Examples/planner: two devices of a user, over a network that works only when they sync.
@Suite(.timeLimit(.minutes(10))) @MainActor struct PlannerTests {
    let server: InProcessServer
    let clients: [SyncClient]
    let phone: Planner
    let tablet: Planner
    let list: String

    init() async throws {
        let server = try InProcessServer()
        self.clients = try [UInt64(1), 2].map { seed in
            try SyncClient(
                store: .sqliteInMemory(), remote: InProcessRemote(server), configuration: .planner(),
                time: server.clock, seed: seed)
        }
        self.server = server
        self.phone = Planner(self.clients[0])
        self.tablet = Planner(self.clients[1])
        self.list = try #require(await self.phone.addList("Home"))
    }

    private func sync() async throws {
        for client in self.clients + self.clients { _ = try await client.sync() }
    }

    /// Follows the models of a planner while a body runs.
    private func showing(_ planner: Planner, _ body: () async throws -> Void) async throws {
        let tasks = [
            Task { await planner.lists.follow() }, Task { await planner.items.follow() },
            Task { await planner.conflicts.follow() }, Task { await planner.status.follow() },
        ]
        try await body()
        for task in tasks {
            task.cancel()
            await task.value
        }
    }

    private func item(_ planner: Planner, _ pk: String) async throws -> Item {
        try await planner.form(of: pk).value
    }

    @Test func `every rule, index and query names a field of the type`() async throws {
        let step = Item.Step(id: "1", text: "a")
        let due = Date(timeIntervalSince1970: 0)
        let example = Item(title: "Milk", list: "1", due: due, budget: 1, tags: ["a"], steps: [step])
        try await self.clients[0].collection("items", of: Item.self, dates: Item.dates)
            .check(example, fields: Item.Field.paths)
        try await self.clients[0].collection("lists", of: ItemList.self).check(ItemList(name: "Home"))
    }

    @Test func `both devices change an item, and every field is merged by its rule`() async throws {
        let pk = try #require(await self.phone.add(Item(title: "Milk", list: self.list, tags: ["food"])))
        try await self.sync()
        let form = try await self.phone.form(of: pk)
        form.value.title = "Oat milk"
        form.value.steps.append(Item.Step(id: "p", text: "Buy it"))
        form.value.tags.append("shop")
        await self.phone.save(form)
        let other = try await self.tablet.form(of: pk)
        other.value.steps.append(Item.Step(id: "t", text: "Drink it"))
        other.value.tags.append("drink")
        await self.tablet.save(other)
        for planner in [self.phone, self.tablet] { await planner.vote(pk) }
        await self.tablet.set(.done, of: [pk])
        try await self.sync()
        for planner in [self.phone, self.tablet] {
            let item = try await self.item(planner, pk)
            #expect(item.title == "Oat milk" && item.votes == 2 && item.status == .done)
            #expect(Set(item.steps.map(\.id)) == ["p", "t"])
            #expect(Set(item.tags) == ["food", "shop", "drink"])
        }
    }

    @Test func `a budget is asked about, field by field, in the list of conflicts`() async throws {
        let pk = try #require(await self.phone.add(Item(title: "Milk", list: self.list, budget: 1)))
        try await self.sync()
        for (planner, budget) in [(self.phone, Decimal(2)), (self.tablet, Decimal(3))] {
            let form = try await planner.form(of: pk)
            form.value.budget = budget
            form.value.notes = "\(budget)"
            await planner.save(form)
        }
        try await self.sync()
        let tablet = self.tablet
        try await self.showing(tablet) {
            await eventually("the conflict is shown") { tablet.conflicts.conflicts.count == 1 }
            let open = try #require(tablet.conflicts.conflicts.first)
            #expect(open.choices.fields.map(\.path.text) == ["/budget"])
            await eventually("the badge is shown") { tablet.items.records.map { tablet.badge(of: $0) } == ["!"] }
            try await open.resolve(choosing: ["/budget": .client])
            await eventually("it is gone") { tablet.conflicts.conflicts.isEmpty }
        }
        try await self.sync()
        #expect(try await self.item(self.phone, pk).budget == 3)
    }

    @Test func `a list and its items are deleted in one step, and undone in one`() async throws {
        var pks: [String] = []
        for title in ["Milk", "Bread"] {
            pks.append(try #require(await self.phone.add(Item(title: title, list: self.list))))
        }
        try await self.sync()
        await self.phone.deleteList(self.list)
        try await self.showing(self.phone) {
            await eventually("it is empty") { self.phone.items.isLoaded && self.phone.items.records.isEmpty }
            #expect(self.phone.history.undoName == "Delete list")
            #expect(await self.phone.undo().isEmpty)
            await eventually("all is there again") {
                self.phone.items.records.count == 2 && self.phone.lists.records.count == 1
            }
            await self.phone.move(pks, to: "work")
            try await self.sync()
            await self.tablet.move([pks[0]], to: "garden")
            try await self.sync()
            let left = await self.phone.undo()
            #expect(left.map(\.pk) == [pks[0]] && left.map(\.fields) == [["/list"]])
        }
        #expect(try await self.item(self.phone, pks[0]).list == "garden")
        #expect(try await self.item(self.phone, pks[1]).list == self.list)
    }

    @Test func `a search and a list narrow what is shown, and words tell the status`() async throws {
        for title in ["Milk", "Bread"] { _ = await self.phone.add(Item(title: title, list: self.list)) }
        _ = await self.phone.add(Item(title: "Soil", list: "garden"))
        try await self.showing(self.phone) {
            await eventually("all are shown") {
                self.phone.items.records.map(\.title) == ["Bread", "Milk", "Soil"]
            }
            self.phone.search = "mil"
            await eventually("one is shown") { self.phone.items.records.map(\.title) == ["Milk"] }
            self.phone.search = ""
            self.phone.shown = "garden"
            await eventually("another is shown") { self.phone.items.records.map(\.title) == ["Soil"] }
            await eventually("the words count") { self.phone.words == "4 not sent, 0 to decide" }
            try await self.sync()
            await eventually("the words say so") { self.phone.words == "Up to date" }
            await eventually("no badge is left") { self.phone.items.records.map { self.phone.badge(of: $0) } == [""] }
        }
    }

    @Test func `an action that fails says why, and changes nothing`() async throws {
        await self.phone.move([self.list, "no such item"], to: "work")
        #expect(self.phone.problem?.contains("no record") == true)
        #expect(self.phone.history.undoName == "New list")
    }
}

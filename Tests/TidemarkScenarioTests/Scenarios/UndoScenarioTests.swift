import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Undo and redo beside a sync: an undo is a new edit, and never overwrites what others wrote.
@Suite struct UndoScenarioTests {
    private static let notes = SyncScenario.collection

    /// A phone with an undo history, a tablet, and a note that both have.
    private final class World {
        let scenario: SyncScenario
        private var stack = UndoStack()

        init(_ tactic: any Tactic = .autoMerge) throws {
            var configuration = SyncConfiguration()
            configuration[UndoScenarioTests.notes].tactic = tactic
            configuration[UndoScenarioTests.notes].fields = try FieldRules([("/count", .sum)])
            self.scenario = try SyncScenario(configuration: configuration)
            try self.scenario.phone.create(["title": "Milk", "list": "home", "count": 5], pk: "1")
            try self.scenario.settle()
        }

        var phone: Device { self.scenario.phone }
        var tablet: Device { self.scenario.tablet }
        var note: JSON? { get throws { try self.phone.view("1") } }

        /// A step of the phone.
        func perform(_ change: (inout JSON) -> Void) throws {
            try self.phone.run { (engine) throws(TidemarkError) in
                let done = try engine.transact { (t) throws(TidemarkError) in
                    try t[UndoScenarioTests.notes]["1"].edit { (note) throws(TidemarkError) in change(&note) }
                    return t.edits
                }
                self.stack.add(UndoStack.Step(name: "", edits: done.value))
                return done.effects
            }
        }

        func undo(_ direction: UndoStack.Direction = .undo) throws -> [UndoHistory.Left] {
            let last = self.stack.removeLast(direction)
            let step = try #require(last)
            var left: [UndoHistory.Left] = []
            try self.phone.run { (engine) throws(TidemarkError) in
                let done = try engine.transact { (t) throws(TidemarkError) in try t.undoUnchanged(step.edits) }
                left = done.value.left
                self.stack.add(done.value.edits, of: step, after: direction)
                return done.effects
            }
            return left
        }

        var canRedo: Bool { self.stack.last(.redo) != nil }
    }

    @Test func `U1: an edit in flight is not recalled, and its undo is sent after it (R5)`() throws {
        let world = try World()
        try world.perform {
            $0.title = "Oat milk"
            $0.count = 6
        }
        try world.phone.sync(Self.notes)
        let sent = try #require(world.phone.outbox.first).request.uploads.map(\.encodedEdit)
        #expect(try world.undo().isEmpty)
        #expect(try world.note == ["title": "Milk", "list": "home", "count": 5])
        #expect(try world.phone.phase("1") == .edited(.uploading))
        #expect(world.phone.outbox.first?.request.uploads.map(\.encodedEdit) == sent)
        try world.scenario.carryOne(world.phone)
        #expect(try world.scenario.onServer("1")?.title == "Oat milk")
        try world.tablet.edit("1") { $0.count = 15 }
        try world.scenario.settle()
        #expect(try world.scenario.onServer("1") == ["title": "Milk", "list": "home", "count": 15])
        try world.scenario.expectAgreement(on: "1")
    }

    @Test(arguments: [true, false])
    func `U1: the undo of an unconfirmed edit counts once, whether or not the server has the edit (R17)`(
        hasArrived: Bool
    ) throws {
        let world = try World()
        try world.perform {
            $0.title = "Oat milk"
            $0.count = 6
        }
        try world.phone.sync(Self.notes)
        if hasArrived {
            try world.scenario.loseAnswer(world.phone)
        } else {
            try world.phone.failNext(RemoteFailure(.offline, "The request was lost."))
        }
        #expect(try world.phone.phase("1") == .edited(.unconfirmed))
        #expect(try world.undo().isEmpty)
        #expect(try world.phone.phase("1") == .edited(.unconfirmed))
        try world.tablet.edit("1") { $0.count = 15 }
        world.scenario.server.clock.advance(by: .seconds(3_600))
        try world.scenario.settle()
        #expect(try world.scenario.onServer("1") == ["title": "Milk", "list": "home", "count": 15])
        #expect(try world.undo(.redo).isEmpty)
        try world.scenario.settle()
        #expect(try world.scenario.onServer("1") == ["title": "Oat milk", "list": "home", "count": 16])
        try world.scenario.expectAgreement(on: "1")
    }

    @Test func `U5: an undo with an open conflict is an edit, and a decision made before it is stale (R22)`() throws {
        let world = try World(.askUser)
        try world.perform { $0.list = "work" }
        try world.perform { $0.title = "Oat milk" }
        try world.tablet.edit("1") {
            $0.title = "Soy milk"
            $0.list = "shop"
        }
        try world.scenario.sync(world.tablet)
        try world.scenario.sync(world.phone)
        #expect(try world.phone.phase("1").activity == .deciding)
        let seen = try #require(try world.phone.engine.conflict(of: "1", in: Self.notes))
        #expect(seen.asked.map(\.path.text) == ["/list", "/title"])
        #expect(try world.undo().isEmpty)
        #expect(try world.note?.title == "Milk")
        let open = try #require(try world.phone.engine.conflict(of: "1", in: Self.notes))
        #expect(open.asked.map(\.path.text) == ["/list"])
        #expect(try world.phone.engine.resolve(seen, .takeClient).value == .stale)
        #expect(try world.phone.phase("1").activity == .deciding)
        try world.phone.run { (engine) throws(TidemarkError) in try engine.resolve(open, .clashes(.client)).effects }
        try world.scenario.settle()
        #expect(try world.scenario.onServer("1") == ["title": "Soy milk", "list": "work", "count": 5])
    }

    @Test func `U5: the undo of all that a conflict asks about settles it`() throws {
        let world = try World(.askUser)
        try world.perform { $0.title = "Oat milk" }
        try world.tablet.edit("1") { $0.title = "Soy milk" }
        try world.scenario.sync(world.tablet)
        try world.scenario.sync(world.phone)
        #expect(try world.phone.phase("1").activity == .deciding)
        #expect(try world.undo().isEmpty)
        #expect(try world.phone.phase("1") == .synced)
        #expect(try world.note?.title == "Soy milk")
    }

    @Test func `U11: the undo of a value that had won gives the value before the edit, not the loser`() throws {
        let world = try World()
        try world.perform { $0.title = "Oat milk" }
        try world.tablet.edit("1") { $0.title = "Soy milk" }
        try world.scenario.sync(world.tablet)
        try world.scenario.sync(world.phone)
        #expect(try world.note?.title == "Oat milk")
        #expect(try world.undo().isEmpty)
        #expect(try world.note?.title == "Milk")
        let lost = try world.phone.journal()
        #expect(lost.map(\.reason) == [.merge])
        #expect(try lost.map { try $0.lostValue } == ["Soy milk"])
        try world.scenario.settle()
        #expect(try world.scenario.onServer("1")?.title == "Milk")
    }

    @Test func `U12: a redo leaves a field that another device has changed since the undo`() throws {
        let world = try World()
        try world.perform {
            $0.title = "Oat milk"
            $0.list = "work"
        }
        try world.scenario.settle()
        #expect(try world.undo().isEmpty)
        try world.scenario.settle()
        try world.tablet.edit("1") { $0.title = "Soy milk" }
        try world.scenario.settle()
        let left = try world.undo(.redo)
        #expect(left.map { $0.fields.map(\.text) } == [["/title"]])
        #expect(left.map(\.reason) == [.changed])
        #expect(try world.note == ["title": "Soy milk", "list": "work", "count": 5])
        // The undo of the redo takes its own part back.
        #expect(try world.undo().isEmpty)
        #expect(try world.note == ["title": "Soy milk", "list": "home", "count": 5])
    }

    @Test func `a redo does not restore a field that had its former value before the undo`() throws {
        let world = try World()
        try world.perform { $0.title = "Oat milk" }
        try world.scenario.settle()
        try world.tablet.edit("1") { $0.title = "Milk" }
        try world.scenario.settle()
        #expect(try world.undo().isEmpty)
        #expect(!world.canRedo, "the undo changed nothing")
        #expect(try world.note?.title == "Milk")
    }

    @Test func `an addition that the user discarded with a merge is not taken back`() throws {
        let world = try World(.askUser)
        try world.perform {
            $0.title = "Oat milk"
            $0.count = 6
        }
        try world.tablet.edit("1") {
            $0.title = "Soy milk"
            $0.count = 8
        }
        try world.scenario.sync(world.tablet)
        try world.scenario.sync(world.phone)
        let open = try #require(try world.phone.engine.conflict(of: "1", in: Self.notes))
        try world.phone.run { (engine) throws(TidemarkError) in
            try engine.resolve(open, .merge(["title": "Oat milk", "list": "home", "count": 8])).effects
        }
        let left = try world.undo()
        #expect(try world.note == ["title": "Milk", "list": "home", "count": 8])
        #expect(left.map { $0.fields.map(\.text) } == [["/count"]])
    }
}

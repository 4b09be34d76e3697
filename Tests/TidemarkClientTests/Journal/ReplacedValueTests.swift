import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Accepted values that another client replaces (Contract §4)` {
    private static func configuration(_ change: (inout SyncConfiguration) throws -> Void = { _ in }) rethrows
        -> SyncConfiguration
    {
        var configuration = SyncConfiguration(journalsReplacedFor: .seconds(86_400))
        try change(&configuration)
        return configuration
    }

    /// The phone's title was accepted, and both devices have it.
    private func inSync(_ configuration: SyncConfiguration? = nil) throws -> SyncScenario {
        let scenario = try SyncScenario(configuration: configuration ?? Self.configuration())
        try scenario.phone.create(["title": "Oat", "n": 1], pk: "42")
        try scenario.settle()
        return scenario
    }

    private func entries(of scenario: SyncScenario) throws -> [String] {
        try scenario.phone.journal().map { "\($0.reason) \($0.path) \(try $0.lostValue?.text ?? "nothing")" }
    }

    @Test func `a replaced value is journalled on the device that wrote it, and can be restored`() throws {
        let scenario = try self.inSync()
        try scenario.tablet.edit("42") { $0.title = "Soy" }
        try scenario.settle()
        #expect(try self.entries(of: scenario) == [#"replaced /title "Oat""#])
        #expect(try scenario.tablet.journal().isEmpty)
        let explained = try scenario.phone.engine.explain("42", in: SyncScenario.collection)
        #expect(explained.replaced.map(\.path.text) == ["/title"])
        #expect(try scenario.tablet.engine.explain("42", in: SyncScenario.collection).replaced.isEmpty)
        let entry = try #require(explained.replaced.first)
        try scenario.phone.run { (engine) throws(TidemarkError) in
            try engine.restore(entry.number, in: SyncScenario.collection)
        }
        try scenario.settle()
        #expect(try scenario.tablet.view("42")?.title == "Oat")
        // The tablet's value was accepted, and is replaced in turn.
        #expect(try scenario.tablet.journal().map(\.reason) == [.replaced])
    }

    @Test func `a value that lost in a conflict on another device is journalled on both`() throws {
        let scenario = try self.inSync(
            try Self.configuration { $0["notes"].fields = try FieldRules([("/title", .client)]) })
        try scenario.phone.edit("42") { $0.title = "Rice" }
        try scenario.tablet.edit("42") { $0.title = "Soy" }
        try scenario.sync(scenario.phone)
        try scenario.settle()
        #expect(try self.entries(of: scenario) == [#"replaced /title "Rice""#])
        #expect(try scenario.tablet.journal().map(\.reason) == [.merge])
    }

    @Test func `nothing is journalled unless the app wants it`() throws {
        let scenario = try self.inSync(SyncConfiguration())
        try scenario.tablet.edit("42") { $0.title = "Soy" }
        try scenario.settle()
        #expect(try scenario.phone.journal().isEmpty)
        #expect(try scenario.phone.store.watchedRecords(in: "notes", after: nil, limit: 9).isEmpty)
    }

    @Test func `a value that this device replaced itself is not journalled`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.title = "Rice" }
        try scenario.settle()
        #expect(try scenario.phone.journal().isEmpty)
        // Its next change is not sent yet when the tablet's arrives: the merge decides, and journals one value.
        try scenario.phone.edit("42") { $0.title = "Hemp" }
        try scenario.tablet.edit("42") { $0.title = "Soy" }
        try scenario.sync(scenario.tablet)
        try scenario.settle()
        #expect(try scenario.phone.journal().map(\.reason) == [.merge])
    }

    @Test func `a value beside an unsent change is journalled when it is replaced`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.n = 5 }
        try scenario.tablet.edit("42") { $0.title = "Soy" }
        try scenario.sync(scenario.tablet)
        try scenario.settle()
        #expect(try self.entries(of: scenario) == [#"replaced /title "Oat""#])
    }

    @Test func `a replacement that the repeated answer to a lost one shows is journalled`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.title = "Rice" }
        try scenario.phone.sync("notes")
        try scenario.loseAnswer(scenario.phone)
        try scenario.sync(scenario.tablet)
        try scenario.tablet.edit("42") { $0.title = "Soy" }
        try scenario.sync(scenario.tablet)
        scenario.server.clock.advance(by: .seconds(600))
        try scenario.settle()
        #expect(try self.entries(of: scenario) == [#"replaced /title "Rice""#])
    }

    @Test func `a record of values of this device that another client deletes is journalled as a whole`() throws {
        let scenario = try self.inSync()
        try scenario.tablet.delete("42")
        try scenario.settle()
        #expect(try self.entries(of: scenario) == [#"replaced  {"title":"Oat","n":1}"#])
    }

    @Test(arguments: [10, 3_000])
    func `a record that another client deletes after a lost answer is journalled as a whole`(size: Int) throws {
        let scenario = try SyncScenario(configuration: Self.configuration())
        let body = String(repeating: "x", count: size)
        try scenario.tablet.create(["title": "Milk", "body": JSON(body)], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.title = "Oat" }
        try scenario.phone.sync("notes")
        try scenario.loseAnswer(scenario.phone)
        try scenario.sync(scenario.tablet)
        try scenario.tablet.delete("42")
        try scenario.sync(scenario.tablet)
        scenario.server.clock.advance(by: .seconds(600))
        try scenario.settle()
        #expect(try scenario.phone.view("42") == nil)
        #expect(try self.entries(of: scenario) == [#"replaced  {"title":"Oat","body":"\#(body)"}"#])
    }

    @Test func `a record that is deleted while a change of it waits is journalled once, if the deletion wins`() throws {
        let scenario = try self.inSync(
            Self.configuration { $0["notes"].tactic = AutoMerge(editDelete: .deleteWins) })
        try scenario.phone.edit("42") { $0.n = 5 }
        try scenario.tablet.delete("42")
        try scenario.sync(scenario.tablet)
        try scenario.settle()
        #expect(try scenario.phone.view("42") == nil)
        #expect(try scenario.phone.journal().map(\.path.text) == [""])
    }

    @Test func `a rule that keeps both changes has no replaced value`() throws {
        let scenario = try self.inSync(
            try Self.configuration { $0["notes"].fields = try FieldRules([("/n", .sum)]) })
        try scenario.phone.edit("42") { $0.n = 5 }
        try scenario.settle()
        try scenario.tablet.edit("42") { $0.n = 7 }
        try scenario.settle()
        #expect(try scenario.phone.journal().isEmpty)
    }

    @Test func `values are watched for the time of the configuration`() throws {
        let scenario = try self.inSync()
        scenario.server.clock.advance(by: .seconds(86_401))
        try scenario.tablet.edit("42") { $0.title = "Soy" }
        try scenario.settle()
        #expect(try scenario.phone.journal().isEmpty)
        #expect(try scenario.phone.view("42")?.title == "Soy")
    }

    @Test func `old watches end page by page, and a clock that was ahead keeps none`() throws {
        let scenario = try SyncScenario(configuration: Self.configuration { $0.limits.pageSize = 2 })
        scenario.server.clock.advance(by: .seconds(1_000_000))
        for pk in ["1", "2", "3", "4", "5"] { try scenario.phone.create(["a": 1], pk: pk) }
        try scenario.sync(scenario.phone)
        func watched() throws -> Int {
            try scenario.phone.store.watchedRecords(in: "notes", after: nil, limit: 9).count
        }
        #expect(try watched() == 5)
        scenario.server.clock.advance(by: .seconds(86_401))
        var counts: [Int] = []
        for _ in 0..<4 {
            try scenario.sync(scenario.phone)
            counts.append(try watched())
        }
        // The sync of the creates has looked at the first two.
        #expect(counts == [3, 2, 0, 0])
    }

    @Test func `the journal keeps the newest replaced values up to the limit, and all other entries`() throws {
        let scenario = try self.inSync(Self.configuration { $0.limits.replacedValues = 2 })
        for number in 1...4 {
            try scenario.phone.edit("42") { $0.title = JSON("mine \(number)") }
            try scenario.settle()
            try scenario.tablet.edit("42") { $0.title = JSON("theirs \(number)") }
            try scenario.settle()
        }
        #expect(try self.entries(of: scenario) == [#"replaced /title "mine 3""#, #"replaced /title "mine 4""#])
    }

    @Test func `a record has at most the limit of watched values`() throws {
        let scenario = try SyncScenario(configuration: Self.configuration { $0.limits.watchedValues = 2 })
        try scenario.phone.create(["a": 1, "b": 1, "c": 1], pk: "1")
        try scenario.settle()
        try scenario.tablet.edit("1") { $0 = ["a": 2, "b": 2, "c": 2] }
        try scenario.settle()
        #expect(try scenario.phone.journal().map(\.path.text) == ["/a", "/b"])
        try scenario.phone.edit("1") { $0.c = 3 }
        try scenario.settle()
        try scenario.tablet.edit("1") { $0.c = 4 }
        try scenario.settle()
        #expect(try scenario.phone.journal().map(\.path.text) == ["/a", "/b", "/c"])
    }
}

import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct MergeSummaryTests {
    @Test func `explain lists the paths of the last merge by side`() throws {
        let scenario = try SyncScenario()
        try scenario.phone.create(["a": 1, "b": 1, "c": 1], pk: "42")
        try scenario.settle()
        #expect(try scenario.tablet.engine.explain("42", in: SyncScenario.collection).lastMerge == nil)
        try scenario.phone.edit("42") { view in
            view.a = 2
            view.c = 2
        }
        try scenario.tablet.edit("42") { view in
            view.b = 3
            view.c = 3
        }
        try scenario.sync(scenario.phone)
        try scenario.sync(scenario.tablet)
        let merge = try #require(try scenario.tablet.engine.explain("42", in: SyncScenario.collection).lastMerge)
        #expect(merge.fromHere == ["/b", "/c"])
        #expect(merge.fromServer == ["/a"])
        #expect(merge.onBoth == ["/c"])
        try scenario.tablet.restart()
        #expect(try scenario.tablet.engine.explain("42", in: SyncScenario.collection).lastMerge == merge)
    }
}

@Suite struct JournalLimitTests {
    @Test func `the journal keeps the newest entries up to the app's limit`() throws {
        let scenario = try SyncScenario(configuration: SyncConfiguration(journalLimit: 2))
        try scenario.phone.create(["n": 0], pk: "42")
        try scenario.settle()
        for number in 1...4 {
            let value = JSON.number(JSONNumber(number))
            try scenario.phone.edit("42") { $0.n = value }
            try scenario.phone.run { (engine) throws(TidemarkError) in
                try engine.resign("42", in: SyncScenario.collection)
            }
        }
        #expect(try scenario.phone.journal().compactMap(\.raw.value) == [Array("3".utf8), Array("4".utf8)])
        #expect(try scenario.phone.journal().map(\.number) == [3, 4])
    }
}

@Suite struct PreviewTests {
    @Test func `a dry run lists the edits of the next sync, and sends and changes nothing`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        for pk in ["a", "b"] { try scenario.phone.create(["n": 1], pk: pk) }
        try scenario.sync(scenario.phone)
        try scenario.phone.edit("a") { $0.n = 2 }
        try scenario.phone.delete("b")
        try scenario.phone.create(["n": 3], pk: "c")
        let plan = try scenario.phone.engine.preview(of: SyncScenario.collection)
        #expect(plan.map(\.pk) == ["a", "b", "c"])
        #expect(plan.map(\.state) == [.edited, .deleted, .created])
        #expect(plan[0].patch?.text == #"[{"op":"replace","path":"/n","value":2}]"#)
        #expect(plan.allSatisfy { $0.requestID == nil })
        #expect(try scenario.phone.phase("a") == .edited(.idle))
        #expect(scenario.phone.outbox.isEmpty)
    }

    @Test func `a dry run after a lost answer lists only the request to send again (R17)`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        try scenario.phone.create(["n": 1], pk: "a")
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.loseAnswer(scenario.phone)
        try scenario.phone.create(["n": 1], pk: "b")
        let plan = try scenario.phone.engine.preview(of: SyncScenario.collection)
        #expect(plan.map(\.pk) == ["a"])
        #expect(plan.first?.requestID == (try scenario.phone.snapshot("a")?.raw.upload?.requestID))
    }
}

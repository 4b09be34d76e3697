import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct MergeSummaryTests {
    @Test func `explain says what the last merge did, path by path`() throws {
        let meeting = try Meeting()
        try meeting.phone.create(["a": 1, "b": 1, "c": 1], pk: "42")
        try meeting.settle()
        #expect(try meeting.tablet.engine.explain("42", in: Meeting.collection).lastMerge == nil)
        try meeting.phone.edit("42") { view in
            view.a = 2
            view.c = 2
        }
        try meeting.tablet.edit("42") { view in
            view.b = 3
            view.c = 3
        }
        try meeting.sync(meeting.phone)
        try meeting.sync(meeting.tablet)
        let merge = try #require(try meeting.tablet.engine.explain("42", in: Meeting.collection).lastMerge)
        #expect(merge.fromHere == ["/b", "/c"])
        #expect(merge.fromServer == ["/a"])
        #expect(merge.onBoth == ["/c"])
        try meeting.tablet.restart()
        #expect(try meeting.tablet.engine.explain("42", in: Meeting.collection).lastMerge == merge)
    }
}

@Suite struct JournalLimitTests {
    @Test func `the journal keeps as many entries as the app wants, the newest`() throws {
        let meeting = try Meeting(configuration: SyncConfiguration(journalLimit: 2))
        try meeting.phone.create(["n": 0], pk: "42")
        try meeting.settle()
        for number in 1...4 {
            let value = JSON.number(JSONNumber(number))
            try meeting.phone.edit("42") { $0.n = value }
            try meeting.phone.run { (engine) throws(TidemarkError) in
                try engine.resign("42", in: Meeting.collection)
            }
        }
        #expect(try meeting.phone.journal().compactMap(\.raw.value) == [Array("3".utf8), Array("4".utf8)])
        #expect(try meeting.phone.journal().map(\.number) == [3, 4])
    }
}

@Suite struct PreviewTests {
    @Test func `a dry run shows what a sync would send, and sends and changes nothing`() throws {
        let meeting = try Meeting(devices: ["phone"])
        for pk in ["a", "b"] { try meeting.phone.create(["n": 1], pk: pk) }
        try meeting.sync(meeting.phone)
        try meeting.phone.edit("a") { $0.n = 2 }
        try meeting.phone.delete("b")
        try meeting.phone.create(["n": 3], pk: "c")
        let plan = try meeting.phone.engine.preview(of: Meeting.collection)
        #expect(plan.map(\.pk) == ["a", "b", "c"])
        #expect(plan.map(\.state) == [.edited, .deleted, .created])
        #expect(plan[0].patch?.text == #"[{"op":"replace","path":"/n","value":2}]"#)
        #expect(plan.allSatisfy { $0.requestID == nil })
        #expect(try meeting.phone.phase("a") == .edited(.idle))
        #expect(meeting.phone.outbox.isEmpty)
    }

    @Test func `R17 after a lost answer a dry run shows the request that goes out again, and nothing else`() throws {
        let meeting = try Meeting(devices: ["phone"])
        try meeting.phone.create(["n": 1], pk: "a")
        try meeting.phone.sync(Meeting.collection)
        try meeting.loseAnswer(meeting.phone)
        try meeting.phone.create(["n": 1], pk: "b")
        let plan = try meeting.phone.engine.preview(of: Meeting.collection)
        #expect(plan.map(\.pk) == ["a"])
        #expect(plan.first?.requestID == (try meeting.phone.snapshot("a")?.raw.upload?.requestID))
    }
}

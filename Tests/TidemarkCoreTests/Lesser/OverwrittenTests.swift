import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `What a server overwrites after it acknowledged it (SPEC §12)` {
    private static let quirks = LesserServer.Quirks(checksFirst: true)

    private func inStep() throws -> LesserMeeting {
        let meeting = try LesserMeeting(Self.quirks)
        try meeting.phone.create(["a": 1, "b": 1], pk: "42")
        try meeting.settle()
        meeting.clock.advance(by: .seconds(60))
        try meeting.settle()
        return meeting
    }

    /// The tablet's write is checked, the phone's is taken and acknowledged, then the tablet's is written over it.
    private func race(_ meeting: LesserMeeting) throws {
        try meeting.tablet.sync(Meeting.collection)
        try meeting.carryOne(meeting.tablet) { try meeting.sync(meeting.phone) }
    }

    private func overwritten() throws -> LesserMeeting {
        let meeting = try self.inStep()
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.tablet.edit("42") { $0.b = 2 }
        try self.race(meeting)
        #expect(meeting.server.rows["42"]?.data == ["a": 1, "b": 2])
        return meeting
    }

    @Test func `I1 an edit is put back, and that is journalled`() throws {
        let meeting = try self.overwritten()
        #expect(meeting.phone.reports.last?.watched == 1)
        try meeting.settle()
        for device in [meeting.phone, meeting.tablet] { #expect(try device.view("42") == ["a": 2, "b": 2]) }
        let entry = try #require(try meeting.phone.journal().first)
        #expect(entry.reason == .overwritten)
        #expect(entry.lostSide == .server)
        #expect(entry.path.text == "/a")
        #expect(try entry.lostValue == 1)
        #expect(try meeting.phone.journal().count == 1)
        #expect(try meeting.tablet.journal().isEmpty)
    }

    /// The phone's edit is on its way to a server that writes what it has checked.
    private func sent(_ values: RemoteCapabilities.Values) throws -> (server: ScriptedServer, upload: UploadRequest) {
        let server = try ScriptedServer {
            $0.condition = .checkedFirst(watch: .seconds(10))
            $0.values = values
        }
        try server.pull(.row("42", 1, #"{"n":1}"#))
        try server.edit("42") { $0.n = 2.5 }
        return (server, try #require(try server.begin().first))
    }

    @Test func `I1 an edit that is taken and shows a tombstone is journalled`() throws {
        let (server, upload) = try self.sent(.exact)
        try server.answer(
            [], UploadResult(requestID: upload.requestID, outcome: .accepted(StoredVersion(stamp: "3"))))
        #expect(try server.record("42") == nil)
        #expect(try server.journal().map(\.reason) == [.overwritten])
        #expect(try server.journal().map(\.value) == [Array(#"{"n":2.5}"#.utf8)])
    }

    @Test func `R7 a delete is sent where the server has altered what was sent before it`() throws {
        let (server, upload) = try self.sent(.rounded)
        try server.delete("42")
        let next = try server.answer([], upload.accepted(#"{"n":2}"#, 2))
        #expect(next.map(\.intent) == [.delete])
    }

    @Test func `a server that says it is atomic, and is not, is believed`() throws {
        let meeting = try LesserMeeting(Self.quirks, as: .native)
        try meeting.phone.create(["a": 1, "b": 1], pk: "42")
        try meeting.settle()
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.tablet.edit("42") { $0.b = 2 }
        try self.race(meeting)
        try meeting.settle()
        #expect(try meeting.phone.view("42") == ["a": 1, "b": 2])
        #expect(try meeting.phone.store.record("42", in: Meeting.collection)?.watched == nil)
    }

    @Test func `it is put back after a restart, and after a long sleep`() throws {
        let meeting = try self.overwritten()
        try meeting.phone.restart()
        meeting.clock.advance(by: .seconds(100_000))
        try meeting.settle()
        #expect(try meeting.tablet.view("42") == ["a": 2, "b": 2])
    }

    @Test func `it is put back beside what was changed here since`() throws {
        let meeting = try self.overwritten()
        try meeting.phone.edit("42") { $0.c = 3 }
        try meeting.settle()
        #expect(try meeting.tablet.view("42") == ["a": 2, "b": 2, "c": 3])
        #expect(try meeting.phone.journal().map(\.reason) == [.overwritten])
    }

    @Test func `it is put back where the row came while another edit was in flight`() throws {
        let meeting = try self.overwritten()
        try meeting.phone.edit("42") { $0.c = 3 }
        try meeting.phone.sync(Meeting.collection)
        let sent = meeting.phone.outbox.removeFirst()
        try meeting.phone.fail(RemoteFailure(.offline, "lost"), for: sent.token)
        try meeting.settle()
        #expect(try meeting.tablet.view("42") == ["a": 2, "b": 2, "c": 3])
    }

    @Test func `what was changed here in its place stands`() throws {
        let meeting = try self.overwritten()
        try meeting.phone.edit("42") { $0.a = 3 }
        try meeting.settle()
        #expect(try meeting.tablet.view("42") == ["a": 3, "b": 2])
    }

    @Test func `another value is someone's answer: it stands, and ours is journalled`() throws {
        let meeting = try self.inStep()
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.tablet.edit("42") { $0.a = 3 }
        try self.race(meeting)
        try meeting.settle()
        for device in [meeting.phone, meeting.tablet] { #expect(try device.view("42") == ["a": 3, "b": 1]) }
        let entry = try #require(try meeting.phone.journal().first)
        #expect(entry.reason == .overwritten && entry.lostSide == .client)
        #expect(try entry.lostValue == 2)
    }

    @Test func `a record that is deleted within that time leaves what was acknowledged in the journal`() throws {
        let meeting = try self.inStep()
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.tablet.delete("42")
        try self.race(meeting)
        try meeting.settle()
        #expect(try meeting.phone.phase("42") == .absent)
        let entry = try #require(try meeting.phone.journal().first)
        #expect(entry.reason == .overwritten && entry.path.isRoot)
        #expect(try entry.lostValue == ["a": 2, "b": 1])
    }

    @Test func `of a create that another one overwrites nothing is lost`() throws {
        let meeting = try LesserMeeting(Self.quirks)
        try meeting.phone.create(["a": 1, "mine": ["x": 1]], pk: "42")
        try meeting.tablet.create(["a": 2, "yours": 1], pk: "42")
        try self.race(meeting)
        try meeting.settle()
        #expect(try meeting.tablet.view("42") == ["a": 2, "mine": ["x": 1], "yours": 1])
        let entries = try meeting.phone.journal().filter { $0.lostSide == .client }
        #expect(try entries.map { try $0.lostValue } == [1])
    }

    @Test func `a watch ends with the first whole pull that began after the time`() throws {
        let meeting = try self.inStep()
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.reports.last?.watched == 1)
        meeting.clock.advance(by: .seconds(9))
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.reports.last?.watched == 1)
        meeting.clock.advance(by: .seconds(2))
        // One that was asked for before is over too late to end it.
        try meeting.phone.sync(Meeting.collection)
        #expect(try meeting.phone.store.record("42", in: Meeting.collection)?.watched != nil)
        try meeting.carry(meeting.phone)
        #expect(meeting.phone.reports.last?.watched == 0)
        #expect(try meeting.phone.store.record("42", in: Meeting.collection)?.watched == nil)
        try meeting.sync(meeting.tablet)
        try meeting.tablet.edit("42") { $0.a = 1 }
        try meeting.settle()
        #expect(try meeting.phone.view("42")?.a == 1)
        #expect(try meeting.phone.journal().isEmpty)
    }

    @Test func `I8 a person who sets a value back again and again is given way to`() throws {
        let meeting = try self.inStep()
        try meeting.phone.edit("42") { $0.a = 2 }
        try meeting.settle()
        for _ in 0..<20 {
            if try meeting.tablet.view("42")?.a == 2 { try meeting.tablet.edit("42") { $0.a = 1 } }
            try meeting.sync(meeting.tablet)
            try meeting.sync(meeting.phone)
        }
        try meeting.settle()
        #expect(try meeting.phone.view("42") == meeting.tablet.view("42"))
        #expect(try meeting.phone.phase("42") == .synced)
        #expect(try meeting.phone.journal().count <= 2 * SyncLimits().rounds + 2)
    }

    @Test func `a row that comes late is waited for as long`() throws {
        var capabilities = try LesserServer(Self.quirks).capabilities
        capabilities.feed = .late(.seconds(5))
        let meeting = try LesserMeeting(Self.quirks, as: capabilities)
        try meeting.phone.create(["a": 1], pk: "42")
        try meeting.sync(meeting.phone)
        meeting.clock.advance(by: .seconds(12))
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.reports.last?.watched == 1)
        meeting.clock.advance(by: .seconds(4))
        try meeting.sync(meeting.phone)
        #expect(meeting.phone.reports.last?.watched == 0)
    }
}

@Suite struct `What was acknowledged, and what it is taken for (SPEC §12)` {
    private func watch(_ base: JSON?, _ sent: JSON, row: JSON? = nil) -> AcknowledgedWatch {
        var watch = AcknowledgedWatch()
        watch.acknowledge(
            .diff(from: base, to: sent), from: base, to: sent, row: row ?? sent, until: .seconds(10))
        return watch
    }

    @Test func `the members of objects are watched, each by itself`() {
        let watch = self.watch(nil, ["a": ["x": 1, "y": []], "b": [:]])
        #expect(watch.entries.map(\.path.text) == ["/a/x", "/a/y", "/b"])
        #expect(watch.entries.allSatisfy { $0.before == [nil] })
    }

    @Test func `what was there before is overwritten, what is new is an answer, and the rest goes on`() {
        var watch = self.watch(["a": 1, "b": 1, "c": 1], ["a": 2, "b": 2, "c": 2])
        let findings = watch.review(["a": 1.0, "b": 7, "c": 2], limit: 5)
        #expect(findings.count == 2)
        guard case .overwritten(let first, by: let old) = findings[0],
            case .replaced(let second, by: let new) = findings[1]
        else {
            Issue.record("\(findings)")
            return
        }
        #expect(first.path.text == "/a" && old == 1)
        #expect(second.path.text == "/b" && new == 7)
        #expect(watch.entries.map(\.path.text) == ["/a", "/c"])
    }

    @Test func `every value before an acknowledged one is known, up to a limit`() {
        var watch = self.watch(["a": 0], ["a": 1])
        for number in 1...20 {
            let (base, sent): (JSON, JSON) = (["a": JSON(number)], ["a": JSON(number + 1)])
            watch.acknowledge(.diff(from: base, to: sent), from: base, to: sent, row: sent, until: .seconds(10))
        }
        #expect(watch.entries[0].before == (13...20).map { JSON($0) })
        #expect(watch.entries[0].value == 21)
    }

    @Test func `a value that came back by an edit here is not overwritten`() {
        var watch = self.watch(["a": 1], ["a": 2])
        watch.acknowledge(
            .diff(from: ["a": 2], to: ["a": 1]), from: ["a": 2], to: ["a": 1], row: ["a": 1], until: .seconds(10))
        #expect(watch.review(["a": 1], limit: 5).isEmpty)
        #expect(watch.review(["a": 2], limit: 5).count == 1)
    }

    @Test func `a removal is watched, too`() {
        var watch = self.watch(["a": ["x": 1], "b": 1], ["b": 1])
        #expect(watch.entries.map(\.path.text) == ["/a/x"])
        #expect(watch.review(["b": 1], limit: 5).isEmpty)
        #expect(watch.review(["a": ["x": 1], "b": 1], limit: 5).count == 1)
    }

    @Test func `a value that was rounded is acknowledged as it is`() {
        var watch = self.watch(["a": 1], ["a": 12_345_678_901], row: ["a": 1.2345678e10])
        #expect(watch.review(["a": 1.2345678e10], limit: 5).isEmpty)
        #expect(watch.review(["a": 1], limit: 5).count == 1)
    }

    @Test func `a value is put back only so often (I8)`() {
        var watch = self.watch(["a": 1], ["a": 2])
        for _ in 0..<5 {
            guard case .overwritten = watch.review(["a": 1], limit: 5).first else {
                Issue.record("it was not put back")
                return
            }
        }
        guard case .replaced = watch.review(["a": 1], limit: 5).first else {
            Issue.record("it was put back once more")
            return
        }
        #expect(watch.entries.isEmpty)
    }

    @Test func `it is stored as it is`() {
        var watch = self.watch(["a": 1, "b": .null], ["b": 2, "c": "é"])
        _ = watch.review(["a": 1, "b": 2, "c": "é"], limit: 5)
        #expect(AcknowledgedWatch(bytes: watch.json.bytes) == watch)
        #expect(AcknowledgedWatch(bytes: Array("[1]".utf8)) == nil)
    }
}

import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Edits that a server overwrites after it acknowledged them (Contract §12)` {
    private static let quirks = LesserServer.Quirks(checksFirst: true)

    private func inSync() throws -> LesserScenario {
        let scenario = try LesserScenario(Self.quirks)
        try scenario.phone.create(["a": 1, "b": 1], pk: "42")
        try scenario.settle()
        scenario.clock.advance(by: .seconds(60))
        try scenario.settle()
        return scenario
    }

    /// The server checks the tablet's write, then accepts the phone's, and then overwrites it with the tablet's.
    private func race(_ scenario: LesserScenario) throws {
        try scenario.tablet.sync(SyncScenario.collection)
        try scenario.carryOne(scenario.tablet) { try scenario.sync(scenario.phone) }
    }

    private func overwritten() throws -> LesserScenario {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.tablet.edit("42") { $0.b = 2 }
        try self.race(scenario)
        #expect(scenario.server.rows["42"]?.data == ["a": 1, "b": 2])
        return scenario
    }

    @Test func `an overwritten edit is restored and journalled (I1)`() throws {
        let scenario = try self.overwritten()
        #expect(scenario.phone.reports.last?.watched == 1)
        try scenario.settle()
        for device in [scenario.phone, scenario.tablet] { #expect(try device.view("42") == ["a": 2, "b": 2]) }
        let entry = try #require(try scenario.phone.journal().first)
        #expect(entry.reason == .overwritten)
        #expect(entry.lostSide == .server)
        #expect(entry.path.text == "/a")
        #expect(try entry.lostValue == 1)
        #expect(try scenario.phone.journal().count == 1)
        #expect(try scenario.tablet.journal().isEmpty)
    }

    /// An edit that is sent to a server that checks first, and is not answered yet.
    private func sent(_ values: RemoteCapabilities.Values) throws -> (server: ScriptedServer, upload: UploadRequest) {
        let server = try ScriptedServer {
            $0.condition = .checkedFirst(watch: .seconds(10))
            $0.values = values
        }
        try server.pull(.row("42", 1, #"{"n":1}"#))
        try server.edit("42") { $0.n = 2.5 }
        return (server, try #require(try server.begin().first))
    }

    @Test func `an edit whose acceptance shows a tombstone is journalled (I1)`() throws {
        let (server, upload) = try self.sent(.exact)
        try server.answer(
            [], UploadResult(requestID: upload.requestID, outcome: .accepted(StoredVersion(version: "3"))))
        #expect(try server.record("42") == nil)
        #expect(try server.journal().map(\.reason) == [.overwritten])
        #expect(try server.journal().map(\.value) == [Array(#"{"n":2.5}"#.utf8)])
    }

    @Test(arguments: [RemoteCapabilities.Values.exact, .byValue])
    func `another client's value in the answer to a write conflicts with a later edit (I1)`(
        values: RemoteCapabilities.Values
    ) throws {
        let (server, upload) = try self.sent(values)
        try server.edit("42") { $0.title = "ours" }
        try server.answer([], upload.accepted(#"{"n":2.5,"title":"theirs"}"#, 3))
        #expect(try server.journal().map(\.value) == [Array(#""theirs""#.utf8)])
    }

    @Test func `a delete is sent after the server altered the edit before it (R7)`() throws {
        let (server, upload) = try self.sent(.rounded)
        try server.delete("42")
        let next = try server.answer([], upload.accepted(#"{"n":2}"#, 2))
        #expect(next.map(\.intent) == [.delete])
    }

    @Test func `an answer with a former value is no lost update if the server may alter values (I8)`() throws {
        let (server, upload) = try self.sent(.rounded)
        #expect(try server.answer([], upload.accepted(#"{"n":1}"#, 2)).isEmpty)
        #expect(try server.record("42")?.phase == .synced)
        #expect(try server.journal().map(\.reason) == [.altered])
    }

    @Test func `an answer to a resent edit may be a later row, in which a former value is a lost update (I1)`() throws {
        let (server, upload) = try self.sent(.rounded)
        #expect(try server.sendAgain()?.requestID == nil)
        let again = try server.answer()
        #expect(again.map(\.requestID) == [upload.requestID])
        let next = try server.answer([], upload.accepted(#"{"n":1}"#, 3))
        #expect(try next.first?.record() == ["n": 2.5])
        #expect(try server.journal().map(\.reason) == [.overwritten])
    }

    @Test func `an answer with a former value is a lost update if the server alters no value (I1)`() throws {
        let (server, upload) = try self.sent(.exact)
        let next = try server.answer([], upload.accepted(#"{"n":1}"#, 3))
        #expect(try next.first?.record() == ["n": 2.5])
        #expect(try server.journal().map(\.reason) == [.overwritten])
    }

    @Test(arguments: [#"{"n":1}"#, #"{"n":2}"#])
    func `another value at the version of the accepted edit was altered by the server`(row: String) throws {
        let (server, upload) = try self.sent(.rounded)
        #expect(try server.answer([.row("42", 2, row)], upload.accepted(#"{"n":2.5}"#, 2)).isEmpty)
        #expect(try server.record("42")?.phase == .synced)
        #expect(try server.record("42")?.confirmed.data == Array(row.utf8))
        #expect(try server.journal().map(\.reason) == [.altered])
        #expect(try server.journal().map(\.value) == [Array("2.5".utf8)])
    }

    @Test func `a lost update that the feed shows again in other bytes is sent again once (I8)`() throws {
        let (server, upload) = try self.sent(.exact)
        var next = try server.answer([.row("42", 3, #"{ "n": 1 }"#)], upload.accepted(#"{"n":1}"#, 3))
        var count = 0
        while let again = next.first, count < 100 {
            count += 1
            let version = 3 + count
            next = try server.answer([.row("42", version, #"{ "n": 1 }"#)], again.accepted(#"{"n":1}"#, version))
        }
        #expect(count == SyncLimits().rounds)
        #expect(try server.record("42")?.phase == .synced)
    }

    @Test func `edits on a server that falsely declares atomic writes are not watched`() throws {
        let scenario = try LesserScenario(Self.quirks, as: .native)
        try scenario.phone.create(["a": 1, "b": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.tablet.edit("42") { $0.b = 2 }
        try self.race(scenario)
        try scenario.settle()
        #expect(try scenario.phone.view("42") == ["a": 1, "b": 2])
        #expect(try scenario.phone.store.record("42", in: SyncScenario.collection)?.watched == nil)
    }

    @Test func `without a watch time edits are not watched, even if rows become visible late`() throws {
        var capabilities = RemoteCapabilities.native
        capabilities.condition = .checkedFirst(watch: .zero)
        capabilities.feed = .late(.seconds(5))
        let scenario = try LesserScenario(Self.quirks, as: capabilities)
        try scenario.phone.create(["a": 1], pk: "42")
        try scenario.settle()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.settle()
        #expect(try scenario.phone.store.record("42", in: SyncScenario.collection)?.watched == nil)
        // Another user sets the old value again.
        try scenario.tablet.edit("42") { $0.a = 1 }
        try scenario.settle()
        for device in [scenario.phone, scenario.tablet] { #expect(try device.view("42") == ["a": 1]) }
        #expect(try scenario.phone.journal().isEmpty)
    }

    @Test func `an overwritten edit is restored after a restart and a long pause`() throws {
        let scenario = try self.overwritten()
        try scenario.phone.restart()
        scenario.clock.advance(by: .seconds(100_000))
        try scenario.settle()
        #expect(try scenario.tablet.view("42") == ["a": 2, "b": 2])
    }

    @Test func `an overwritten edit is restored together with later local changes`() throws {
        let scenario = try self.overwritten()
        try scenario.phone.edit("42") { $0.c = 3 }
        try scenario.settle()
        #expect(try scenario.tablet.view("42") == ["a": 2, "b": 2, "c": 3])
        #expect(try scenario.phone.journal().map(\.reason) == [.overwritten])
    }

    @Test func `an overwritten edit is restored while another edit is in flight`() throws {
        let scenario = try self.overwritten()
        try scenario.phone.edit("42") { $0.c = 3 }
        try scenario.phone.sync(SyncScenario.collection)
        let sent = scenario.phone.outbox.removeFirst()
        try scenario.phone.fail(RemoteFailure(.offline, "lost"), for: sent.token)
        try scenario.settle()
        #expect(try scenario.tablet.view("42") == ["a": 2, "b": 2, "c": 3])
    }

    @Test func `a later local change replaces the overwritten edit`() throws {
        let scenario = try self.overwritten()
        try scenario.phone.edit("42") { $0.a = 3 }
        try scenario.settle()
        #expect(try scenario.tablet.view("42") == ["a": 3, "b": 2])
    }

    @Test func `another device's new value is kept, and the overwritten edit is journalled`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.tablet.edit("42") { $0.a = 3 }
        try self.race(scenario)
        try scenario.settle()
        for device in [scenario.phone, scenario.tablet] { #expect(try device.view("42") == ["a": 3, "b": 1]) }
        let entry = try #require(try scenario.phone.journal().first)
        #expect(entry.reason == .overwritten && entry.lostSide == .client)
        #expect(try entry.lostValue == 2)
    }

    @Test func `a record deleted during the watch leaves its acknowledged content in the journal`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.tablet.delete("42")
        try self.race(scenario)
        try scenario.settle()
        #expect(try scenario.phone.phase("42") == .absent)
        let entry = try #require(try scenario.phone.journal().first)
        #expect(entry.reason == .overwritten && entry.path.isRoot)
        #expect(try entry.lostValue == ["a": 2, "b": 1])
    }

    @Test func `a create that another create overwrites loses nothing`() throws {
        let scenario = try LesserScenario(Self.quirks)
        try scenario.phone.create(["a": 1, "mine": ["x": 1]], pk: "42")
        try scenario.tablet.create(["a": 2, "yours": 1], pk: "42")
        try self.race(scenario)
        try scenario.settle()
        #expect(try scenario.tablet.view("42") == ["a": 2, "mine": ["x": 1], "yours": 1])
        let entries = try scenario.phone.journal().filter { $0.lostSide == .client }
        #expect(try entries.map { try $0.lostValue } == [1])
    }

    @Test func `a watch ends with the first complete pull that began after its time`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.reports.last?.watched == 1)
        scenario.clock.advance(by: .seconds(9))
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.reports.last?.watched == 1)
        scenario.clock.advance(by: .seconds(2))
        // A pull ends the watch when it is complete, not when it begins.
        try scenario.phone.sync(SyncScenario.collection)
        #expect(try scenario.phone.store.record("42", in: SyncScenario.collection)?.watched != nil)
        try scenario.carry(scenario.phone)
        #expect(scenario.phone.reports.last?.watched == 0)
        #expect(try scenario.phone.store.record("42", in: SyncScenario.collection)?.watched == nil)
        try scenario.sync(scenario.tablet)
        try scenario.tablet.edit("42") { $0.a = 1 }
        try scenario.settle()
        #expect(try scenario.phone.view("42")?.a == 1)
        #expect(try scenario.phone.journal().isEmpty)
    }

    @Test func `the client stops restoring a value that a user resets again and again (I8)`() throws {
        let scenario = try self.inSync()
        try scenario.phone.edit("42") { $0.a = 2 }
        try scenario.settle()
        for _ in 0..<20 {
            if try scenario.tablet.view("42")?.a == 2 { try scenario.tablet.edit("42") { $0.a = 1 } }
            try scenario.sync(scenario.tablet)
            try scenario.sync(scenario.phone)
        }
        try scenario.settle()
        #expect(try scenario.phone.view("42") == scenario.tablet.view("42"))
        #expect(try scenario.phone.phase("42") == .synced)
        #expect(try scenario.phone.journal().count <= 2 * SyncLimits().rounds + 2)
    }

    @Test func `a watch lasts longer by the delay of a late feed`() throws {
        var capabilities = try LesserServer(Self.quirks).capabilities
        capabilities.feed = .late(.seconds(5))
        let scenario = try LesserScenario(Self.quirks, as: capabilities)
        try scenario.phone.create(["a": 1], pk: "42")
        try scenario.sync(scenario.phone)
        scenario.clock.advance(by: .seconds(12))
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.reports.last?.watched == 1)
        scenario.clock.advance(by: .seconds(4))
        try scenario.sync(scenario.phone)
        #expect(scenario.phone.reports.last?.watched == 0)
    }
}

@Suite struct `The watch on acknowledged values (Contract §12)` {
    private func watch(_ base: JSON?, _ sent: JSON, row: JSON? = nil) -> AcknowledgedWrite {
        var watch = AcknowledgedWrite()
        watch.acknowledge(
            .diff(from: base, to: sent), from: base, to: sent, row: row ?? sent, until: .seconds(10))
        return watch
    }

    @Test func `a watch has one entry for each member of an object`() {
        let watch = self.watch(nil, ["a": ["x": 1, "y": []], "b": [:]])
        #expect(watch.entries.map(\.path.text) == ["/a/x", "/a/y", "/b"])
        #expect(watch.entries.allSatisfy { $0.before == [nil] })
    }

    @Test func `a former value is an overwrite, a new one a replacement, an equal one neither`() {
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

    @Test func `a watch knows the former values of a field, up to a limit`() {
        var watch = self.watch(["a": 0], ["a": 1])
        for number in 1...20 {
            let (base, sent): (JSON, JSON) = (["a": JSON(number)], ["a": JSON(number + 1)])
            watch.acknowledge(.diff(from: base, to: sent), from: base, to: sent, row: sent, until: .seconds(10))
        }
        #expect(watch.entries[0].before == (13...20).map { JSON($0) })
        #expect(watch.entries[0].value == 21)
    }

    @Test func `a value that a local edit restored is not an overwrite`() {
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

    @Test func `a value that the server rounded is watched in its rounded form`() {
        var watch = self.watch(["a": 1], ["a": 12_345_678_901], row: ["a": 1.2345678e10])
        #expect(watch.review(["a": 1.2345678e10], limit: 5).isEmpty)
        #expect(watch.review(["a": 1], limit: 5).count == 1)
    }

    @Test func `a value is restored only a limited number of times (I8)`() {
        var watch = self.watch(["a": 1], ["a": 2])
        for _ in 0..<5 {
            guard case .overwritten = watch.review(["a": 1], limit: 5).first else {
                Issue.record("the value was not restored")
                return
            }
        }
        guard case .replaced = watch.review(["a": 1], limit: 5).first else {
            Issue.record("the value was restored once more")
            return
        }
        #expect(watch.entries.isEmpty)
    }

    @Test func `a watch is stored and read unchanged`() {
        var watch = self.watch(["a": 1, "b": .null], ["b": 2, "c": "é"])
        _ = watch.review(["a": 1, "b": 2, "c": "é"], limit: 5)
        #expect(AcknowledgedWrite(bytes: watch.json.bytes) == watch)
        #expect(AcknowledgedWrite(bytes: Array("[1]".utf8)) == nil)
    }
}

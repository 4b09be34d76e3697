import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Mistakes of the first system of this kind; each is a regression test.
@Suite struct FirstSystemTests {
    let scenario: SyncScenario
    var phone: Device { self.scenario.phone }
    var tablet: Device { self.scenario.tablet }

    init() throws {
        self.scenario = try SyncScenario()
        try self.scenario.phone.create(["title": "Milk", "count": 1], pk: "42")
        try self.scenario.settle()
    }

    @Test func `conflict-judged-by-the-maximum: a newer cursor permits no blind overwrite`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        let sent = self.phone.outbox.removeFirst()
        try self.tablet.edit("42") { $0.title = "Soy milk" }
        try self.scenario.sync(self.tablet)
        var request = sent.request
        request.cursor = try #require(self.tablet.reports.last?.cursor)
        let answer = try self.scenario.remote.exchangeNow(request)
        #expect(try self.scenario.onServer("42")?.title == "Soy milk", "the edit named an older version")
        try self.phone.receive(answer, for: sent.token)
        try self.scenario.carry(self.phone)
        let entry = try #require(try self.phone.journal().first)
        #expect(entry.raw.value == Array(#""Soy milk""#.utf8), "the loser is journalled")
    }

    @Test func `cursor-from-own-posts: rows older than an own POST are still read`() throws {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = 1
        let scenario = try SyncScenario(configuration: configuration)
        for pk in ["a", "b", "c"] { try scenario.tablet.create(["n": 1], pk: pk) }
        try scenario.sync(scenario.tablet)
        for pk in ["x", "y", "z"] { try scenario.phone.create(["n": 2], pk: pk) }
        try scenario.sync(scenario.phone)
        for pk in ["a", "b", "c", "x", "y", "z"] { #expect(try scenario.phone.phase(pk) == .synced, "\(pk)") }
    }

    @Test func `edit-wiped-by-the-ack: an edit during the POST stays visible after the answer`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        try self.phone.edit("42") { $0 = ["title": "Rice milk", "new": .null] }
        try self.scenario.carryOne(self.phone)
        #expect(try self.phone.view("42") == ["title": "Rice milk", "new": .null])
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42") == ["title": "Rice milk", "new": .null])
        try self.scenario.expectAgreement("42")
    }

    @Test func `bulk-delete-selects-edited: a mixed batch deletes only the deleted records`() throws {
        let pks = (0..<20).map { "r\($0)" }
        for pk in pks { try self.phone.create(["n": 0], pk: pk) }
        try self.scenario.settle()
        for (index, pk) in pks.enumerated() {
            if index.isMultiple(of: 2) {
                try self.phone.delete(pk)
            } else {
                try self.phone.edit(pk) { $0.n = 1 }
            }
        }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.scenario.settle()
        for (index, pk) in pks.enumerated() {
            #expect(try self.scenario.onServer(pk) == (index.isMultiple(of: 2) ? nil : ["n": 1]))
            try self.scenario.expectAgreement(pk)
        }
    }

    @Test func `create-retried-twice: the server has the record once, at its first version`() throws {
        try self.phone.create(["n": 1], pk: "new")
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.scenario.sync(self.tablet)
        let version = try self.tablet.snapshot("new")?.raw.version
        #expect(version != nil)
        try self.phone.restart()
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.loseAnswer(self.phone)
        try self.scenario.settle()
        #expect(try self.tablet.snapshot("new")?.raw.version == version)
        #expect(try self.phone.snapshot("new")?.raw.version == version)
        try self.scenario.expectAgreement("new")
    }

    @Test func `merge-overwrites-the-base: data stays the server's until the merge is sent`() throws {
        try self.tablet.edit("42") { $0 = ["title": "Soy milk", "count": 2] }
        try self.scenario.sync(self.tablet)
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        try self.scenario.carryOne(self.phone)
        let snapshot = try #require(try self.phone.snapshot("42"))
        #expect(snapshot.raw.confirmed == (try self.tablet.snapshot("42")?.raw.confirmed))
        #expect(try self.phone.view("42") == ["title": "Oat milk", "count": 2])
        self.phone.outbox = []
        try self.phone.restart()
        try self.scenario.sync(self.phone)
        try self.scenario.settle()
        try self.scenario.expectAgreement("42")
        #expect(try self.scenario.onServer("42") == ["title": "Oat milk", "count": 2])
    }

    @Test func `rounds-without-end: a record changed before each POST is held after 5 rounds`() throws {
        try self.phone.edit("42") { $0.title = "Oat milk" }
        try self.phone.sync(SyncScenario.collection)
        var posts = 0
        while let next = self.phone.outbox.first {
            try #require(posts < 20, "the device does not stop sending (I8)")
            if !next.request.uploads.isEmpty { posts += 1 }
            try self.tablet.edit("42") { $0.title = .string(JSONString("Soy \(posts)")) }
            try self.scenario.sync(self.tablet)
            try self.scenario.carryOne(self.phone)
        }
        #expect(try self.phone.phase("42") == .edited(.held))
        #expect(posts == 5)
        #expect(self.phone.reports.last?.held == ["42"])
        #expect(try self.phone.view("42")?.title == "Oat milk", "nothing was dropped")
        try self.phone.run { (engine) throws(TidemarkError) in try engine.retry("42", in: SyncScenario.collection) }
        try self.scenario.settle()
        #expect(try self.scenario.onServer("42")?.title == "Oat milk")
        try self.scenario.expectAgreement("42")
    }
}

import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// Each limit of the exchange: one below it, at it, and one above (Contract §3.7).
@Suite struct LimitTableTests {
    private func scenario(_ change: (inout SyncLimits) -> Void, pks: [String] = ["a"]) throws -> SyncScenario {
        var configuration = SyncConfiguration()
        change(&configuration.limits)
        let scenario = try SyncScenario(devices: ["phone"], configuration: configuration)
        for pk in pks { try scenario.phone.create(["n": 1], pk: pk) }
        return scenario
    }

    /// Syncs; every POST fails, and every GET succeeds.
    private func syncReadingOnly(_ scenario: SyncScenario, _ failure: RemoteFailure) throws {
        try scenario.phone.sync(SyncScenario.collection)
        while let sent = scenario.phone.outbox.first {
            if sent.request.uploads.isEmpty {
                try scenario.carryOne(scenario.phone)
            } else {
                try scenario.phone.failNext(failure)
            }
        }
    }

    @Test(arguments: [(2, false), (3, false), (4, true)])
    func `poisonFailures: a record is held when an exchange succeeds after its third failure`(
        syncs: Int, isHeld: Bool
    ) throws {
        let scenario = try self.scenario { $0.poisonFailures = 3 }
        for _ in 1...syncs { try self.syncReadingOnly(scenario, RemoteFailure(.busy, "503")) }
        #expect((try scenario.phone.phase("a").activity == .held) == isHeld)
    }

    @Test(arguments: [(3, 2), (4, 2), (5, 2), (6, 1)])
    func `unansweredPosts: the sixth POST without an answer halves the batch, not the fifth`(
        syncs: Int, edits: Int
    ) throws {
        let scenario = try self.scenario({ $0.unansweredPosts = 5 }, pks: ["a", "b"])
        for _ in 1...syncs { try self.syncReadingOnly(scenario, RemoteFailure(.offline, "timeout")) }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.carryOne(scenario.phone)
        #expect(scenario.phone.outbox.first?.request.uploads.count == edits)
    }

    @Test func `unansweredPosts: GETs without an answer are not counted, since they send no edit`() throws {
        let scenario = try self.scenario({ $0.unansweredPosts = 5 }, pks: ["a", "b"])
        for _ in 1...20 {
            try scenario.phone.sync(SyncScenario.collection)
            try scenario.phone.failNext(RemoteFailure(.offline, "no network"))
        }
        try self.syncReadingOnly(scenario, RemoteFailure(.offline, "timeout"))
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.carryOne(scenario.phone)
        #expect(scenario.phone.outbox.first?.request.uploads.count == 2)
    }

    @Test(arguments: [(1, 4), (2, 2), (3, 1), (4, 1)])
    func `the second failure of a batch halves it, not the first (Contract §3.6)`(syncs: Int, edits: Int) throws {
        let scenario = try self.scenario({ _ in }, pks: ["a", "b", "c", "d"])
        for _ in 1...syncs { try self.syncReadingOnly(scenario, RemoteFailure(.busy, "503")) }
        try scenario.phone.sync(SyncScenario.collection)
        try scenario.carryOne(scenario.phone)
        #expect(scenario.phone.outbox.first?.request.uploads.count == edits)
    }

    @Test(arguments: [(1, false), (2, false), (3, true)])
    func `malformedTries: a malformed item is quarantined with the third page`(syncs: Int, isQuarantined: Bool) throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        for _ in 1...syncs {
            try phone.sync(SyncScenario.collection)
            try phone.answerNext(answerBody(items: #"{"pk":"x","updated_at":1,"is_active":true,"data":7}"#))
        }
        #expect((phone.reports.last?.outcome == .held) == isQuarantined)
    }

    @Test(arguments: [-1, 0, 1])
    func `bodySize: a POST carries as many edits as fit`(spare: Int) throws {
        let probe = try self.scenario({ _ in }, pks: ["a", "b", "c"])
        try probe.phone.sync(SyncScenario.collection)
        let size = try #require(probe.phone.outbox.first).request.encodedEdit.map(\.count).reduce(0, +)
        let scenario = try self.scenario({ $0.bodySize = size + spare }, pks: ["a", "b", "c"])
        try scenario.phone.sync(SyncScenario.collection)
        #expect(scenario.phone.outbox.first?.request.uploads.count == (spare < 0 ? 2 : 3))
    }

    @Test(arguments: [-1, 0, 1])
    func `answerSize: a POST carries as many edits as have a fitting answer (X8)`(spare: Int) throws {
        let text = JSON.string(JSONString(String(repeating: "x", count: 1_000)))
        let pks = ["a", "b", "c"]
        let probe = try self.scenario({ _ in }, pks: [])
        for pk in pks { try probe.phone.create(["text": text], pk: pk) }
        try probe.phone.sync(SyncScenario.collection)
        let carried = try #require(probe.phone.outbox.first).request.encodedEdit.map(\.count).reduce(0, +)
        try probe.carry(probe.phone)
        let known = try pks.map { try probe.phone.snapshot($0)?.raw.confirmed?.count ?? 0 }.reduce(0, +)
        // The answer to a create counts as its content in size; the answer to an edit counts as the record.
        for (limit, isCreate) in [(carried, true), (known, false)] {
            let scenario = try self.scenario({ $0.answerSize = limit + spare }, pks: [])
            for pk in pks { try scenario.phone.create(["text": text], pk: pk) }
            if !isCreate {
                try scenario.sync(scenario.phone)
                for pk in pks { try scenario.phone.edit(pk) { $0.n = 1 } }
            }
            try scenario.phone.sync(SyncScenario.collection)
            #expect(scenario.phone.outbox.first?.request.uploads.count == (spare < 0 ? 2 : 3), "create: \(isCreate)")
            try scenario.carry(scenario.phone)
            #expect(scenario.phone.reports.last?.outcome == .inSync)
        }
    }

    @Test(arguments: [1, 2, 3])
    func `fullResyncs: a sync begins at most that number of full resyncs, and then waits`(limit: Int) throws {
        let scenario = try self.scenario { $0.fullResyncs = limit }
        try scenario.sync(scenario.phone)
        try scenario.phone.sync(SyncScenario.collection)
        var requests = 0
        while let sent = scenario.phone.outbox.first {
            scenario.phone.outbox.removeFirst()
            requests += 1
            try #require(requests < 20)
            var answer = try scenario.remote.exchangeNow(sent.request)
            answer.epoch = "another \(requests)"
            // The first page of a full resync may have any epoch; the next page must have the same one.
            answer.hasMore = true
            try scenario.phone.receive(answer, for: sent.token)
        }
        #expect(requests == 2 * limit + 1)
        #expect(scenario.phone.reports.last?.nextTry != nil)
    }

    @Test(arguments: [(2, true), (3, false), (4, false)])
    func `emptyPages: the third page in a row without an item is a failure (X6)`(count: Int, continues: Bool) throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.sync(SyncScenario.collection)
        for number in 1...count where !phone.outbox.isEmpty {
            try phone.answerNext(answerBody(cursor: #""w\#(number)""#, more: "true"))
        }
        #expect(phone.outbox.isEmpty != continues)
    }

    @Test(arguments: [(3, true), (4, true), (5, false)])
    func `knownRows: a sync reads known rows up to the records here plus the limit`(count: Int, continues: Bool) throws
    {
        var configuration = SyncConfiguration()
        configuration.limits.knownRows = 3
        let phone = try Device("phone", seed: 1, clock: ManualClock(), configuration: configuration)
        try phone.sync(SyncScenario.collection)
        for number in 0...count where !phone.outbox.isEmpty {
            let row = #"{"pk":"x","updated_at":1,"is_active":true,"data":{}}"#
            try phone.answerNext(answerBody(items: row, cursor: #""w\#(number)""#, more: "true"))
        }
        #expect(phone.outbox.isEmpty != continues)
    }

    @Test(arguments: [4_095, 4_096, 4_097])
    func `cursorSize: a cursor that is too long is a failure, and is never saved (X12)`(size: Int) throws {
        for isPost in [false, true] {
            let scenario = try self.scenario({ _ in }, pks: isPost ? ["a"] : [])
            try scenario.phone.sync(SyncScenario.collection)
            let sent = scenario.phone.outbox.removeFirst()
            var answer = try scenario.remote.exchangeNow(sent.request)
            answer.cursor = String(repeating: "w", count: size)
            try scenario.phone.receive(answer, for: sent.token)
            let saved = try scenario.phone.engine.status(of: SyncScenario.collection).cursor
            #expect((saved != nil) == (size <= 4_096))
            #expect((scenario.phone.reports.last?.failure?.failureClass == .invalidAnswer) == (size > 4_096))
        }
    }
}

import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// Each limit of the exchange, one below it, at it, and one above (SPEC §3.7).
@Suite struct LimitTableTests {
    private func meeting(_ change: (inout SyncLimits) -> Void, pks: [String] = ["a"]) throws -> Meeting {
        var configuration = SyncConfiguration()
        change(&configuration.limits)
        let meeting = try Meeting(devices: ["phone"], configuration: configuration)
        for pk in pks { try meeting.phone.create(["n": 1], pk: pk) }
        return meeting
    }

    /// Syncs; every POST fails, and every GET works.
    private func syncReadingOnly(_ meeting: Meeting, _ failure: RemoteFailure) throws {
        try meeting.phone.sync(Meeting.collection)
        while let sent = meeting.phone.outbox.first {
            if sent.request.uploads.isEmpty {
                try meeting.carryOne(meeting.phone)
            } else {
                try meeting.phone.failNext(failure)
            }
        }
    }

    @Test(arguments: [(2, false), (3, false), (4, true)])
    func `loneFailures: the third failure counts when an exchange has worked after it, and then it is held`(
        syncs: Int, isHeld: Bool
    ) throws {
        let meeting = try self.meeting { $0.loneFailures = 3 }
        for _ in 1...syncs { try self.syncReadingOnly(meeting, RemoteFailure(.busy, "503")) }
        #expect((try meeting.phone.phase("a").activity == .held) == isHeld)
    }

    @Test(arguments: [(3, 2), (4, 2), (5, 2), (6, 1)])
    func `silentTries: five POSTs without an answer are the network's, and the sixth halves the batch`(
        syncs: Int, edits: Int
    ) throws {
        let meeting = try self.meeting({ $0.silentTries = 5 }, pks: ["a", "b"])
        for _ in 1...syncs { try self.syncReadingOnly(meeting, RemoteFailure(.offline, "timeout")) }
        try meeting.phone.sync(Meeting.collection)
        try meeting.carryOne(meeting.phone)
        #expect(meeting.phone.outbox.first?.request.uploads.count == edits)
    }

    @Test func `silentTries: GETs that bring no answer are not counted, since they carry nothing`() throws {
        let meeting = try self.meeting({ $0.silentTries = 5 }, pks: ["a", "b"])
        for _ in 1...20 {
            try meeting.phone.sync(Meeting.collection)
            try meeting.phone.failNext(RemoteFailure(.offline, "no network"))
        }
        try self.syncReadingOnly(meeting, RemoteFailure(.offline, "timeout"))
        try meeting.phone.sync(Meeting.collection)
        try meeting.carryOne(meeting.phone)
        #expect(meeting.phone.outbox.first?.request.uploads.count == 2)
    }

    @Test(arguments: [(1, 4), (2, 2), (3, 1), (4, 1)])
    func `SPEC 3.6 the second failure of a batch halves it, and not the first`(syncs: Int, edits: Int) throws {
        let meeting = try self.meeting({ _ in }, pks: ["a", "b", "c", "d"])
        for _ in 1...syncs { try self.syncReadingOnly(meeting, RemoteFailure(.busy, "503")) }
        try meeting.phone.sync(Meeting.collection)
        try meeting.carryOne(meeting.phone)
        #expect(meeting.phone.outbox.first?.request.uploads.count == edits)
    }

    @Test(arguments: [(1, false), (2, false), (3, true)])
    func `malformedTries: an item that makes no sense is set aside with the third page`(
        syncs: Int, isAside: Bool
    ) throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        for _ in 1...syncs {
            try phone.sync(Meeting.collection)
            try phone.answerNext(answerBody(items: #"{"pk":"x","updated_at":1,"is_active":true,"data":7}"#))
        }
        #expect((phone.reports.last?.outcome == .held) == isAside)
    }

    @Test(arguments: [-1, 0, 1])
    func `bodySize: as many edits as fit`(spare: Int) throws {
        let probe = try self.meeting({ _ in }, pks: ["a", "b", "c"])
        try probe.phone.sync(Meeting.collection)
        let size = try #require(probe.phone.outbox.first).request.frozen.map(\.count).reduce(0, +)
        let meeting = try self.meeting({ $0.bodySize = size + spare }, pks: ["a", "b", "c"])
        try meeting.phone.sync(Meeting.collection)
        #expect(meeting.phone.outbox.first?.request.uploads.count == (spare < 0 ? 2 : 3))
    }

    @Test(arguments: [-1, 0, 1])
    func `X8 answerSize: as many edits as have an answer that fits, by what is known of the records`(spare: Int) throws
    {
        let text = JSON.string(JSONString(String(repeating: "x", count: 1_000)))
        let pks = ["a", "b", "c"]
        let probe = try self.meeting({ _ in }, pks: [])
        for pk in pks { try probe.phone.create(["text": text], pk: pk) }
        try probe.phone.sync(Meeting.collection)
        let carried = try #require(probe.phone.outbox.first).request.frozen.map(\.count).reduce(0, +)
        try probe.carry(probe.phone)
        let known = try pks.map { try probe.phone.snapshot($0)?.raw.confirmed?.count ?? 0 }.reduce(0, +)
        // A create is as large as what it carries; an edit of a record is as large as the record.
        for (limit, isCreate) in [(carried, true), (known, false)] {
            let meeting = try self.meeting({ $0.answerSize = limit + spare }, pks: [])
            for pk in pks { try meeting.phone.create(["text": text], pk: pk) }
            if !isCreate {
                try meeting.sync(meeting.phone)
                for pk in pks { try meeting.phone.edit(pk) { $0.n = 1 } }
            }
            try meeting.phone.sync(Meeting.collection)
            #expect(meeting.phone.outbox.first?.request.uploads.count == (spare < 0 ? 2 : 3), "create: \(isCreate)")
            try meeting.carry(meeting.phone)
            #expect(meeting.phone.reports.last?.outcome == .inStep)
        }
    }

    @Test(arguments: [1, 2, 3])
    func `listings: a sync begins so many listings, and then waits`(limit: Int) throws {
        let meeting = try self.meeting { $0.listings = limit }
        try meeting.sync(meeting.phone)
        try meeting.phone.sync(Meeting.collection)
        var requests = 0
        while let sent = meeting.phone.outbox.first {
            meeting.phone.outbox.removeFirst()
            requests += 1
            try #require(requests < 20)
            var answer = try meeting.remote.exchangeNow(sent.request)
            answer.epoch = "another \(requests)"
            // The first page of a full resync may be of any history; the page after it may not.
            answer.hasMore = true
            try meeting.phone.receive(answer, for: sent.token)
        }
        #expect(requests == 2 * limit + 1)
        #expect(meeting.phone.reports.last?.nextTry != nil)
    }

    @Test(arguments: [(2, true), (3, false), (4, false)])
    func `X6 emptyPages: three pages in a row without an item are too many`(count: Int, goesOn: Bool) throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        try phone.sync(Meeting.collection)
        for number in 1...count where !phone.outbox.isEmpty {
            try phone.answerNext(answerBody(watermark: #""w\#(number)""#, more: "true"))
        }
        #expect(phone.outbox.isEmpty != goesOn)
    }

    @Test(arguments: [(3, true), (4, true), (5, false)])
    func `knownRows: a sync reads as many known rows as there are records, and the limit`(count: Int, goesOn: Bool)
        throws
    {
        var configuration = SyncConfiguration()
        configuration.limits.knownRows = 3
        let phone = try Device("phone", seed: 1, clock: ManualClock(), configuration: configuration)
        try phone.sync(Meeting.collection)
        for number in 0...count where !phone.outbox.isEmpty {
            let row = #"{"pk":"x","updated_at":1,"is_active":true,"data":{}}"#
            try phone.answerNext(answerBody(items: row, watermark: #""w\#(number)""#, more: "true"))
        }
        #expect(phone.outbox.isEmpty != goesOn)
    }

    @Test(arguments: [4_095, 4_096, 4_097])
    func `X12 watermarkSize: a watermark that is too long is a failure, and never saved`(size: Int) throws {
        for isPost in [false, true] {
            let meeting = try self.meeting({ _ in }, pks: isPost ? ["a"] : [])
            try meeting.phone.sync(Meeting.collection)
            let sent = meeting.phone.outbox.removeFirst()
            var answer = try meeting.remote.exchangeNow(sent.request)
            answer.watermark = String(repeating: "w", count: size)
            try meeting.phone.receive(answer, for: sent.token)
            let saved = try meeting.phone.engine.status(of: Meeting.collection).watermark
            #expect((saved != nil) == (size <= 4_096))
            #expect((meeting.phone.reports.last?.failure?.failureClass == .protocol) == (size > 4_096))
        }
    }
}

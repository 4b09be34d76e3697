import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

/// What a feed of changes can do to its readers.
@Suite struct FeedsTests {
    private static func meeting(pageSize: Int = 2) throws -> Meeting {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = pageSize
        return try Meeting(configuration: configuration)
    }

    @Test(arguments: 1...4)
    func `equal-timestamps: what is written while the clock stands still is all seen, however it is paged`(
        pageSize: Int
    ) throws {
        let meeting = try Self.meeting(pageSize: pageSize)
        let frozen = meeting.server.clock.now
        for number in 0..<5 {
            try meeting.phone.create(["n": 1], pk: "p\(number)")
            try meeting.phone.sync(Meeting.collection)
            while !meeting.phone.outbox.isEmpty {
                meeting.server.clock.set(to: frozen)
                let sent = meeting.phone.outbox.removeFirst()
                try meeting.phone.hear(meeting.remote, sent)
            }
            try meeting.tablet.sync(Meeting.collection)
            try meeting.tablet.hear(meeting.remote, meeting.tablet.outbox.removeFirst())
        }
        meeting.server.clock.set(to: frozen)
        try meeting.settle()
        for number in 0..<5 { try meeting.expectAgreement("p\(number)") }
    }

    @Test func `out-of-order-commit: a version and a watermark are copied, and never compared by size`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        func row(_ stamp: String, _ n: Int) -> String {
            #"{"pk":"a","updated_at":\#(stamp),"is_active":true,"data":{"n":\#(n)}}"#
        }
        try phone.sync(Meeting.collection)
        try phone.answerNext(answerBody(items: row("9", 1), watermark: #""z""#))
        try phone.sync(Meeting.collection)
        try phone.answerNext(answerBody(items: row("5", 2), watermark: #""a""#))
        #expect(try phone.view("a") == ["n": 2])
        #expect(try phone.snapshot("a")?.raw.stamp == "5")
        try phone.sync(Meeting.collection)
        #expect(phone.outbox.first?.request.watermark == "a")
        try phone.answerNext(answerBody(items: row(#""v7""#, 3), watermark: #""0""#))
        #expect(try phone.view("a") == ["n": 3])
    }

    @Test(arguments: 0..<6)
    func `row-updated-while-paging is seen twice or later, and never lost`(after: Int) throws {
        let meeting = try Self.meeting()
        for number in 0..<9 { try meeting.phone.create(["n": 0], pk: "p\(number)") }
        try meeting.sync(meeting.phone)
        try meeting.tablet.sync(Meeting.collection)
        var pages = 0
        while !meeting.tablet.outbox.isEmpty {
            try #require(pages < 20)
            if pages == after {
                try meeting.phone.edit("p0") { $0.n = 1 }
                try meeting.phone.edit("p5") { $0.n = 1 }
                try meeting.phone.delete("p8")
                try meeting.sync(meeting.phone)
            }
            try meeting.carryOne(meeting.tablet)
            pages += 1
        }
        #expect(try meeting.tablet.view("p3") == ["n": 0])
        try meeting.settle()
        for number in 0..<9 { try meeting.expectAgreement("p\(number)") }
    }

    @Test(arguments: 0..<6)
    func `row-updated-while-paging: by the very device that reads a listing from the start`(after: Int) throws {
        let meeting = try Self.meeting()
        for number in 0..<9 { try meeting.phone.create(["n": 0], pk: "p\(number)") }
        try meeting.settle()
        try meeting.tablet.sync(Meeting.collection)
        try meeting.tablet.failNext(RemoteFailure(.historyLost, "410"))
        var pages = 0
        while !meeting.tablet.outbox.isEmpty {
            try #require(pages < 30)
            if pages == after {
                try meeting.tablet.edit("p0") { $0.n = 1 }
                try meeting.tablet.edit("p5") { $0.n = 1 }
                try meeting.tablet.delete("p8")
                try meeting.tablet.create(["n": 7], pk: "new")
            }
            try meeting.carryOne(meeting.tablet)
            pages += 1
        }
        for number in [0, 1, 2, 3, 4, 5, 6, 7] { #expect(try meeting.tablet.view("p\(number)") != nil, "p\(number)") }
        try meeting.settle()
        for pk in (0..<9).map({ "p\($0)" }) + ["new"] { try meeting.expectAgreement(pk) }
    }

    @Test func `filtered-pull-raises-maximum: what is read of one collection says nothing of another`() throws {
        let meeting = try Self.meeting()
        try meeting.phone.create(["n": 1], pk: "a")
        try meeting.sync(meeting.phone)
        for name in ["later", "notes-2"] {
            try meeting.tablet.run { (engine) throws(TidemarkError) in
                try engine.create(["n": 2], pk: "b", in: name).effects
            }
            try meeting.tablet.sync(name)
            try meeting.carry(meeting.tablet)
        }
        try meeting.tablet.sync(Meeting.collection)
        #expect(meeting.tablet.outbox.first?.request.watermark == nil)
        try meeting.carry(meeting.tablet)
        #expect(try meeting.tablet.view("a") == ["n": 1])
    }

    @Test func `page-crash-before-watermark: killed at any write of any page, it reads that page again`() throws {
        for write in 0..<40 {
            let meeting = try Self.meeting()
            for number in 0..<5 { try meeting.phone.create(["n": 1], pk: "p\(number)") }
            try meeting.sync(meeting.phone)
            try meeting.tablet.create(["n": 1], pk: "own")
            meeting.tablet.store.failNextWrite(after: write, with: TidemarkError(.storeUnavailable, "cut"))
            try? meeting.sync(meeting.tablet)
            let seen = try meeting.tablet.engine.status(of: Meeting.collection).watermark
            for ghost in try meeting.tablet.restart() { _ = try meeting.remote.exchangeNow(ghost.request) }
            #expect(try meeting.tablet.engine.status(of: Meeting.collection).watermark == seen)
            try meeting.settle()
            for number in 0..<5 { try meeting.expectAgreement("p\(number)") }
            try meeting.expectAgreement("own")
            #expect(try meeting.onServer("own") == ["n": 1], "write \(write)")
        }
    }

    @Test func `history-flushed: on an empty server nothing unsent is lost, and what was confirmed goes`() throws {
        let meeting = try Meeting()
        let tablet = meeting.tablet
        for pk in ["synced", "edited", "deleted", "doubt"] { try meeting.phone.create(["n": 1], pk: pk) }
        try meeting.settle()
        try tablet.edit("doubt") { $0.n = 2 }
        try tablet.sync(Meeting.collection)
        try tablet.failNext(RemoteFailure(.offline, "lost"))
        try tablet.edit("edited") { $0.n = 3 }
        try tablet.delete("deleted")
        try tablet.create(["n": 4], pk: "created")
        let flushed = InProcessRemote(try InProcessServer(clock: meeting.server.clock, epoch: "epoch-2"))
        try tablet.sync(Meeting.collection)
        var count = 0
        while !tablet.outbox.isEmpty {
            count += 1
            try #require(count < 20, "it does not stop (I8)")
            try tablet.hear(flushed, tablet.outbox.removeFirst())
        }
        #expect(try tablet.phase("synced") == .absent)
        #expect(try tablet.phase("deleted") == .absent)
        #expect(try tablet.view("doubt") == ["n": 2])
        #expect(try tablet.view("edited") == ["n": 3])
        #expect(try tablet.view("created") == ["n": 4])
        for pk in ["doubt", "edited", "created"] { #expect(try tablet.phase(pk) == .synced) }
        #expect(tablet.reports.last?.outcome == .inStep)
    }

    @Test func `I8 history-flushed again and again: a server that only says 410 is not asked without end`() throws {
        let meeting = try Meeting()
        try meeting.settle()
        try meeting.phone.create(["n": 1], pk: "a")
        try meeting.phone.sync(Meeting.collection)
        var requests = 0
        while !meeting.phone.outbox.isEmpty {
            requests += 1
            try #require(requests < 20, "it asks for ever, and never waits")
            try meeting.phone.failNext(RemoteFailure(.historyLost, "410"))
        }
        #expect(meeting.phone.reports.last?.outcome == .unreachable)
        #expect(meeting.phone.reports.last?.nextTry != nil)
        try meeting.settle()
        #expect(try meeting.onServer("a") == ["n": 1])
        try meeting.expectAgreement("a")
    }

    @Test func `future-version-poisons-watermark: a server whose clock was ahead loses nobody a row`() throws {
        let meeting = try Self.meeting()
        let now = meeting.server.clock.now
        meeting.server.clock.set(to: now + .seconds(50 * 365 * 86_400))
        try meeting.phone.create(["n": 1], pk: "future")
        try meeting.settle()
        meeting.server.clock.set(to: now)
        for number in 0..<5 { try meeting.phone.create(["n": 1], pk: "p\(number)") }
        try meeting.phone.edit("future") { $0.n = 2 }
        try meeting.settle()
        for pk in (0..<5).map({ "p\($0)" }) + ["future"] { try meeting.expectAgreement(pk) }
        #expect(try meeting.tablet.view("future") == ["n": 2])
    }

    @Test func `a-million-rows-one-page-of-memory: one page is asked for, taken in and let go, however long the feed`()
        throws
    {
        let meeting = try Self.meeting(pageSize: 50)
        for number in 0..<2_000 { try meeting.phone.create(["n": 1], pk: "p\(number)") }
        try meeting.sync(meeting.phone)
        try meeting.tablet.sync(Meeting.collection)
        var pages = 0
        while !meeting.tablet.outbox.isEmpty {
            #expect(meeting.tablet.outbox.count == 1)
            let sent = meeting.tablet.outbox.removeFirst()
            let answer = try meeting.remote.exchangeNow(sent.request)
            #expect(answer.page.rows.count <= 50)
            try meeting.tablet.receive(answer, for: sent.token)
            pages += 1
        }
        #expect(pages == 40)
        #expect(meeting.tablet.reports.last?.pulled == 2_000)
    }

    @Test(arguments: [-10_000_000_000, -3_600, 3_600, 10_000_000_000])
    func `clock-skew: a device whose clock is wrong sends the same bytes and gets the same answers`(
        skew: Int
    ) throws {
        func play(_ skew: Int) throws -> (sent: [ExchangeRequest], views: [String?]) {
            let server = try InProcessServer()
            let clocks = [ManualClock(server.clock.now + .seconds(skew)), ManualClock(server.clock.now)]
            let devices = try clocks.enumerated().map { index, clock in
                try Device("device \(index)", seed: UInt64(index), clock: clock)
            }
            var sent: [ExchangeRequest] = []
            func sync(_ device: Device) throws {
                try device.sync(Meeting.collection)
                while !device.outbox.isEmpty {
                    sent.append(device.outbox[0].request)
                    server.clock.advance(by: .milliseconds(1))
                    try device.hear(InProcessRemote(server), device.outbox.removeFirst())
                }
            }
            try devices[0].create(["n": 1, "m": 1], pk: "42")
            for device in devices + devices { try sync(device) }
            try devices[1].edit("42") { $0.n = 2 }
            try sync(devices[1])
            try devices[0].edit("42") { $0 = ["n": 3, "m": 2] }
            for device in devices + devices { try sync(device) }
            return (sent, try devices.map { try $0.text("42") })
        }
        let (right, wrong) = (try play(0), try play(skew))
        #expect(wrong.sent == right.sent)
        #expect(wrong.views == right.views)
    }
}

import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting
import Testing

/// Special cases of the feed.
@Suite struct FeedsTests {
    private static func scenario(pageSize: Int = 2) throws -> SyncScenario {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = pageSize
        return try SyncScenario(configuration: configuration)
    }

    @Test(arguments: 1...4)
    func `equal-timestamps: rows written at the same time are all read, with any page size`(pageSize: Int) throws {
        let scenario = try Self.scenario(pageSize: pageSize)
        let encodedEdit = scenario.server.clock.now
        for number in 0..<5 {
            try scenario.phone.create(["n": 1], pk: "p\(number)")
            try scenario.phone.sync(SyncScenario.collection)
            while !scenario.phone.outbox.isEmpty {
                scenario.server.clock.set(to: encodedEdit)
                let sent = scenario.phone.outbox.removeFirst()
                try scenario.phone.hear(scenario.remote, sent)
            }
            try scenario.tablet.sync(SyncScenario.collection)
            try scenario.tablet.hear(scenario.remote, scenario.tablet.outbox.removeFirst())
        }
        scenario.server.clock.set(to: encodedEdit)
        try scenario.settle()
        for number in 0..<5 { try scenario.expectAgreement("p\(number)") }
    }

    @Test func `out-of-order-commit: versions and cursors are copied, never compared by size`() throws {
        let phone = try Device("phone", seed: 1, clock: ManualClock())
        func row(_ version: String, _ n: Int) -> String {
            #"{"pk":"a","updated_at":\#(version),"is_active":true,"data":{"n":\#(n)}}"#
        }
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(answerBody(items: row("9", 1), cursor: #""z""#))
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(answerBody(items: row("5", 2), cursor: #""a""#))
        #expect(try phone.view("a") == ["n": 2])
        #expect(try phone.snapshot("a")?.raw.version == "5")
        try phone.sync(SyncScenario.collection)
        #expect(phone.outbox.first?.request.cursor == "a")
        try phone.answerNext(answerBody(items: row(#""v7""#, 3), cursor: #""0""#))
        #expect(try phone.view("a") == ["n": 3])
    }

    @Test(arguments: 0..<6)
    func `row-updated-while-paging is read twice or later, and never lost`(after: Int) throws {
        let scenario = try Self.scenario()
        for number in 0..<9 { try scenario.phone.create(["n": 0], pk: "p\(number)") }
        try scenario.sync(scenario.phone)
        try scenario.tablet.sync(SyncScenario.collection)
        var pages = 0
        while !scenario.tablet.outbox.isEmpty {
            try #require(pages < 20)
            if pages == after {
                try scenario.phone.edit("p0") { $0.n = 1 }
                try scenario.phone.edit("p5") { $0.n = 1 }
                try scenario.phone.delete("p8")
                try scenario.sync(scenario.phone)
            }
            try scenario.carryOne(scenario.tablet)
            pages += 1
        }
        #expect(try scenario.tablet.view("p3") == ["n": 0])
        try scenario.settle()
        for number in 0..<9 { try scenario.expectAgreement("p\(number)") }
    }

    @Test(arguments: 0..<6)
    func `row-updated-while-paging: the device changes rows during its own full resync`(after: Int) throws {
        let scenario = try Self.scenario()
        for number in 0..<9 { try scenario.phone.create(["n": 0], pk: "p\(number)") }
        try scenario.settle()
        try scenario.tablet.sync(SyncScenario.collection)
        try scenario.tablet.failNext(RemoteFailure(.historyLost, "410"))
        var pages = 0
        while !scenario.tablet.outbox.isEmpty {
            try #require(pages < 30)
            if pages == after {
                try scenario.tablet.edit("p0") { $0.n = 1 }
                try scenario.tablet.edit("p5") { $0.n = 1 }
                try scenario.tablet.delete("p8")
                try scenario.tablet.create(["n": 7], pk: "new")
            }
            try scenario.carryOne(scenario.tablet)
            pages += 1
        }
        for number in [0, 1, 2, 3, 4, 5, 6, 7] { #expect(try scenario.tablet.view("p\(number)") != nil, "p\(number)") }
        try scenario.settle()
        for pk in (0..<9).map({ "p\($0)" }) + ["new"] { try scenario.expectAgreement(pk) }
    }

    @Test func `filtered-pull-raises-maximum: each collection has its own cursor`() throws {
        let scenario = try Self.scenario()
        try scenario.phone.create(["n": 1], pk: "a")
        try scenario.sync(scenario.phone)
        for name in ["later", "notes-2"] {
            try scenario.tablet.run { (engine) throws(TidemarkError) in
                try engine.create(["n": 2], pk: "b", in: name).effects
            }
            try scenario.tablet.sync(name)
            try scenario.carry(scenario.tablet)
        }
        try scenario.tablet.sync(SyncScenario.collection)
        #expect(scenario.tablet.outbox.first?.request.cursor == nil)
        try scenario.carry(scenario.tablet)
        #expect(try scenario.tablet.view("a") == ["n": 1])
    }

    @Test func `page-crash-before-cursor: a page interrupted at any write is read again`() throws {
        for write in 0..<40 {
            let scenario = try Self.scenario()
            for number in 0..<5 { try scenario.phone.create(["n": 1], pk: "p\(number)") }
            try scenario.sync(scenario.phone)
            try scenario.tablet.create(["n": 1], pk: "own")
            scenario.tablet.store.failNextWrite(after: write, with: TidemarkError(.storeUnavailable, "cut"))
            try? scenario.sync(scenario.tablet)
            let seen = try scenario.tablet.engine.status(of: SyncScenario.collection).cursor
            for ghost in try scenario.tablet.restart() { _ = try scenario.remote.exchangeNow(ghost.request) }
            #expect(try scenario.tablet.engine.status(of: SyncScenario.collection).cursor == seen)
            try scenario.settle()
            for number in 0..<5 { try scenario.expectAgreement("p\(number)") }
            try scenario.expectAgreement("own")
            #expect(try scenario.onServer("own") == ["n": 1], "write \(write)")
        }
    }

    @Test func `history-flushed: an empty server drops confirmed records, and no unsent change`() throws {
        let scenario = try SyncScenario()
        let tablet = scenario.tablet
        for pk in ["synced", "edited", "deleted", "doubt"] { try scenario.phone.create(["n": 1], pk: pk) }
        try scenario.settle()
        try tablet.edit("doubt") { $0.n = 2 }
        try tablet.sync(SyncScenario.collection)
        try tablet.failNext(RemoteFailure(.offline, "lost"))
        try tablet.edit("edited") { $0.n = 3 }
        try tablet.delete("deleted")
        try tablet.create(["n": 4], pk: "created")
        let flushed = InProcessRemote(try InProcessServer(clock: scenario.server.clock, epoch: "epoch-2"))
        try tablet.sync(SyncScenario.collection)
        var count = 0
        while !tablet.outbox.isEmpty {
            count += 1
            try #require(count < 20, "the device does not stop sending (I8)")
            try tablet.hear(flushed, tablet.outbox.removeFirst())
        }
        #expect(try tablet.phase("synced") == .absent)
        #expect(try tablet.phase("deleted") == .absent)
        #expect(try tablet.view("doubt") == ["n": 2])
        #expect(try tablet.view("edited") == ["n": 3])
        #expect(try tablet.view("created") == ["n": 4])
        for pk in ["doubt", "edited", "created"] { #expect(try tablet.phase(pk) == .synced) }
        #expect(tablet.reports.last?.outcome == .inSync)
    }

    @Test func `history-flushed: a server that always answers 410 gets few requests (I8)`() throws {
        let scenario = try SyncScenario()
        try scenario.settle()
        try scenario.phone.create(["n": 1], pk: "a")
        try scenario.phone.sync(SyncScenario.collection)
        var requests = 0
        while !scenario.phone.outbox.isEmpty {
            requests += 1
            try #require(requests < 20, "the device sends requests without end")
            try scenario.phone.failNext(RemoteFailure(.historyLost, "410"))
        }
        #expect(scenario.phone.reports.last?.outcome == .unreachable)
        #expect(scenario.phone.reports.last?.nextTry != nil)
        try scenario.settle()
        #expect(try scenario.onServer("a") == ["n": 1])
        try scenario.expectAgreement("a")
    }

    @Test func `future-version-poisons-cursor: a server clock that was ahead loses no row`() throws {
        let scenario = try Self.scenario()
        let now = scenario.server.clock.now
        scenario.server.clock.set(to: now + .seconds(50 * 365 * 86_400))
        try scenario.phone.create(["n": 1], pk: "future")
        try scenario.settle()
        scenario.server.clock.set(to: now)
        for number in 0..<5 { try scenario.phone.create(["n": 1], pk: "p\(number)") }
        try scenario.phone.edit("future") { $0.n = 2 }
        try scenario.settle()
        for pk in (0..<5).map({ "p\($0)" }) + ["future"] { try scenario.expectAgreement(pk) }
        #expect(try scenario.tablet.view("future") == ["n": 2])
    }

    @Test func `a-million-rows-one-page-of-memory: the client reads one page at a time`() throws {
        let scenario = try Self.scenario(pageSize: 50)
        for number in 0..<2_000 { try scenario.phone.create(["n": 1], pk: "p\(number)") }
        try scenario.sync(scenario.phone)
        try scenario.tablet.sync(SyncScenario.collection)
        var pages = 0
        while !scenario.tablet.outbox.isEmpty {
            #expect(scenario.tablet.outbox.count == 1)
            let sent = scenario.tablet.outbox.removeFirst()
            let answer = try scenario.remote.exchangeNow(sent.request)
            #expect(answer.page.rows.count <= 50)
            try scenario.tablet.receive(answer, for: sent.token)
            pages += 1
        }
        #expect(pages == 40)
        #expect(scenario.tablet.reports.last?.pulled == 2_000)
    }

    @Test(arguments: [-10_000_000_000, -3_600, 3_600, 10_000_000_000])
    func `clock-skew: a wrong device clock changes neither requests nor results`(skew: Int) throws {
        func play(_ skew: Int) throws -> (sent: [ExchangeRequest], views: [String?]) {
            let server = try InProcessServer()
            let clocks = [ManualClock(server.clock.now + .seconds(skew)), ManualClock(server.clock.now)]
            let devices = try clocks.enumerated().map { index, clock in
                try Device("device \(index)", seed: UInt64(index), clock: clock)
            }
            var sent: [ExchangeRequest] = []
            func sync(_ device: Device) throws {
                try device.sync(SyncScenario.collection)
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

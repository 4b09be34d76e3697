import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// Requests of a full resync (Contract §6).
@Suite struct FullResyncTests {
    let server: RestorableServer

    init() throws {
        self.server = try RestorableServer()
    }

    private func device(_ name: String, seed: UInt64, pageSize: Int = 500) throws -> Device {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = pageSize
        return try Device(name, seed: seed, clock: self.server.clock, configuration: configuration)
    }

    /// Ways in which a server loses a history.
    enum Loss: CaseIterable {
        case purged, putBack, setUpAnew
    }

    private func lose(_ loss: Loss, from writer: Device) throws {
        switch loss {
        case .purged:
            try writer.delete("4")
            try self.server.sync(writer)
            self.server.clock.advance(by: .seconds(100 * 86_400))
            try self.server.purge(olderThan: .seconds(90 * 86_400))
        case .putBack: try self.server.putBack()
        case .setUpAnew: try self.server.setUpAnew()
        }
    }

    @Test(arguments: Loss.allCases, [1, 500])
    func `a full resync asks for its first page once (Contract §6)`(loss: Loss, pageSize: Int) throws {
        let laptop = try self.device("laptop", seed: 1)
        let phone = try self.device("phone", seed: 2, pageSize: pageSize)
        for number in 0..<4 { try laptop.create(["n": 1], pk: "\(number)") }
        try self.server.sync(laptop)
        try self.server.backUp()
        try laptop.create(["n": 1], pk: "4")
        try self.server.sync(laptop, phone)
        try self.lose(loss, from: laptop)
        try phone.sync(SyncScenario.collection)
        var fromTheStart = 0
        for _ in 0..<20 where !phone.outbox.isEmpty {
            if phone.outbox[0].request.cursor == nil { fromTheStart += 1 }
            try self.server.carryOne(phone)
        }
        #expect(fromTheStart == 1)
        #expect(phone.reports.last?.outcome == .inSync)
        #expect(try phone.phase("0") == (loss == .setUpAnew ? .absent : .synced))
        #expect(try phone.phase("4") == .absent)
        #expect(phone.reports.last?.lostByServer == (loss == .purged ? nil : loss == .putBack ? 1 : 5))
    }

    @Test func `a full resync asks anew how many rows are left (Contract §5)`() throws {
        let laptop = try self.device("laptop", seed: 1)
        let phone = try self.device("phone", seed: 2, pageSize: 2)
        for number in 0..<7 { try laptop.create(["n": 1], pk: "\(number)") }
        try self.server.sync(laptop)
        try phone.sync(SyncScenario.collection)
        try self.server.carryOne(phone)
        #expect(phone.progress.last?.left == 5)
        try phone.failNext(RemoteFailure(.historyLost, "410"))
        #expect(phone.progress.last?.left == nil)
        #expect(phone.outbox.first?.request.countsRows == true)
        try self.server.carryOne(phone)
        #expect(phone.progress.last?.left == 5)
        #expect(phone.outbox.first?.request.countsRows == false, "a server has to count for it")
    }

    @Test func `a sync whose first request failed asks again how many rows are left (Contract §5)`() throws {
        let laptop = try self.device("laptop", seed: 1)
        let phone = try self.device("phone", seed: 2, pageSize: 2)
        for number in 0..<7 { try laptop.create(["n": 1], pk: "\(number)") }
        try self.server.sync(laptop, phone)
        try self.server.backUp()
        for number in 7..<20 { try laptop.create(["n": 1], pk: "\(number)") }
        try self.server.sync(laptop)
        try phone.sync(SyncScenario.collection)
        try phone.failNext(RemoteFailure(.historyLost, "410"))
        try self.server.carryOne(phone)
        #expect(phone.progress.last?.left == 18)
    }
}

import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A client that can't write can still read (Contract §3.1).
@Suite struct ReadersTests {
    let scenario: SyncScenario
    var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario()
        for pk in ["p0", "p1", "p2"] { try self.scenario.phone.create(["n": 0], pk: pk) }
        try self.scenario.settle()
    }

    /// Syncs the phone with a server that answers each GET, and each POST with an error status.
    ///
    /// - Returns: How many edits each request carried.
    @discardableResult
    private func syncReadingOnly(_ status: Int) throws -> [Int] {
        var requests: [Int] = []
        try self.phone.sync(SyncScenario.collection)
        while let sent = self.phone.outbox.first {
            try #require(requests.count < 60, "the device does not stop sending (I8)")
            requests.append(sent.request.uploads.count)
            if sent.request.uploads.isEmpty {
                try self.scenario.carryOne(self.phone)
            } else {
                try self.phone.answerNext(#"{"title":"You may read"}"#, status: status)
            }
        }
        return requests
    }

    private var held: [String] {
        get throws { try self.phone.engine.status(of: SyncScenario.collection).held.map(\.pk) }
    }

    @Test(arguments: [403, 405, 501, 404, 503, 429], [false, true])
    func `can-read-cannot-write: each sync reads other devices' changes, even if restarted`(
        status: Int, restarts: Bool
    ) throws {
        for pk in ["p0", "p1", "p2"] { try self.phone.edit(pk) { $0.n = 1 } }
        try self.syncReadingOnly(status)
        for round in 1...12 {
            if restarts { try self.phone.restart() }
            try self.scenario.tablet.create(["round": .number(JSONNumber(round))], pk: "t\(round)")
            try self.scenario.sync(self.scenario.tablet)
            let requests = try self.syncReadingOnly(status)
            #expect(requests.first == 0, "the first request is a GET: \(requests)")
            #expect(try self.phone.phase("t\(round)") == .synced, "in round \(round), after \(requests)")
        }
        #expect(try self.held.count <= 1, "the server is the cause, and not one record after the other")
        for pk in try self.held {
            try self.phone.run { (engine) throws(TidemarkError) in try engine.retry(pk, in: SyncScenario.collection) }
        }
        for _ in 0..<3 { try self.scenario.settle() }
        for pk in ["p0", "p1", "p2"] {
            #expect(try self.scenario.onServer(pk) == ["n": 1])
            try self.scenario.expectAgreement(pk)
        }
        #expect(self.phone.reports.last?.outcome == .inSync)
    }

    @Test(arguments: [405, 501, 404])
    func `can-read-cannot-write: a status about the method holds no record`(status: Int) throws {
        try self.phone.edit("p0") { $0.n = 1 }
        for _ in 1...8 { try self.syncReadingOnly(status) }
        #expect(try self.held == [])
        #expect(self.phone.reports.last?.outcome == (status == 404 ? .notFound : .unreachable))
    }

    @Test func `can-read-cannot-write: poison first in the queue does not stop the feed`() throws {
        try self.phone.edit("p0") { $0.poison = true }
        try self.phone.edit("p1") { $0.n = 1 }
        for round in 1...12 {
            try self.scenario.tablet.create(["round": .number(JSONNumber(round))], pk: "t\(round)")
            try self.scenario.sync(self.scenario.tablet)
            try self.phone.sync(SyncScenario.collection)
            while let sent = self.phone.outbox.first {
                let isPoisoned = sent.request.encodedEdit.contains {
                    String(decoding: $0, as: UTF8.self).contains("poison")
                }
                if isPoisoned {
                    try self.phone.failNext(RemoteFailure(.busy, "503"))
                } else {
                    try self.scenario.carryOne(self.phone)
                }
            }
            // In the first round the POST is the first request, and its failure ends that sync.
            if round > 1 { #expect(try self.phone.phase("t\(round)") == .synced, "in round \(round)") }
        }
        #expect(try self.held == ["p0"])
        #expect(try self.scenario.onServer("p1") == ["n": 1])
    }

    @Test(arguments: [false, true])
    func `a failed POST is followed by a GET, and then by the identical bytes (R17)`(isRestarted: Bool) throws {
        try self.phone.edit("p0") { $0.n = 1 }
        try self.phone.sync(SyncScenario.collection)
        let edits = try #require(self.phone.outbox.first).request.encodedEdit
        try self.phone.failNext(RemoteFailure(.offline, "gone"))
        if isRestarted { try self.phone.restart() }
        try self.phone.edit("p1") { $0.n = 1 }
        try self.phone.sync(SyncScenario.collection)
        #expect(self.phone.outbox.map(\.request.encodedEdit) == [[]])
        try self.scenario.carryOne(self.phone)
        #expect(self.phone.outbox.map(\.request.encodedEdit) == [edits], "first and alone")
        try self.scenario.carry(self.phone)
        #expect(try self.scenario.onServer("p0") == ["n": 1])
        #expect(try self.scenario.onServer("p1") == ["n": 1])
    }

    @Test func `a client that was killed during a POST sends it before it reads (R17)`() throws {
        try self.phone.edit("p0") { $0.n = 1 }
        try self.phone.sync(SyncScenario.collection)
        try self.phone.restart()
        try self.phone.sync(SyncScenario.collection)
        #expect(self.phone.outbox.first?.request.uploads.count == 1)
    }
}

import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Who can't write can still read (SPEC §3.1).
@Suite struct ReadersTests {
    let meeting: Meeting
    var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting()
        for pk in ["p0", "p1", "p2"] { try self.meeting.phone.create(["n": 0], pk: pk) }
        try self.meeting.settle()
    }

    /// Syncs the phone with a server that lets it read and answers each POST with a status.
    ///
    /// - Returns: How many edits each request carried.
    @discardableResult
    private func syncReadingOnly(_ status: Int) throws -> [Int] {
        var requests: [Int] = []
        try self.phone.sync(Meeting.collection)
        while let sent = self.phone.outbox.first {
            try #require(requests.count < 60, "it does not stop asking (I8)")
            requests.append(sent.request.uploads.count)
            if sent.request.uploads.isEmpty {
                try self.meeting.carryOne(self.phone)
            } else {
                try self.phone.answerNext(#"{"title":"You may read"}"#, status: status)
            }
        }
        return requests
    }

    private var held: [String] {
        get throws { try self.phone.engine.status(of: Meeting.collection).held.map(\.pk) }
    }

    @Test(arguments: [403, 405, 501, 404, 503, 429], [false, true])
    func `can-read-cannot-write: what others changed comes with each sync, also when the app starts anew for each`(
        status: Int, restarts: Bool
    ) throws {
        for pk in ["p0", "p1", "p2"] { try self.phone.edit(pk) { $0.n = 1 } }
        try self.syncReadingOnly(status)
        for round in 1...12 {
            if restarts { try self.phone.restart() }
            try self.meeting.tablet.create(["round": .number(JSONNumber(round))], pk: "t\(round)")
            try self.meeting.sync(self.meeting.tablet)
            let requests = try self.syncReadingOnly(status)
            #expect(requests.first == 0, "it reads first: \(requests)")
            #expect(try self.phone.phase("t\(round)") == .synced, "in round \(round), after \(requests)")
        }
        #expect(try self.held.count <= 1, "the server is to blame, and not each record in turn")
        for pk in try self.held {
            try self.phone.run { (engine) throws(TidemarkError) in try engine.release(pk, in: Meeting.collection) }
        }
        for _ in 0..<3 { try self.meeting.settle() }
        for pk in ["p0", "p1", "p2"] {
            #expect(try self.meeting.onServer(pk) == ["n": 1])
            try self.meeting.expectAgreement(pk)
        }
        #expect(self.phone.reports.last?.outcome == .inStep)
    }

    @Test(arguments: [405, 501, 404])
    func `can-read-cannot-write: a status that judges the method holds no record, not even the only one`(
        status: Int
    ) throws {
        try self.phone.edit("p0") { $0.n = 1 }
        for _ in 1...8 { try self.syncReadingOnly(status) }
        #expect(try self.held == [])
        #expect(self.phone.reports.last?.outcome == (status == 404 ? .notFound : .unreachable))
    }

    @Test func `can-read-cannot-write: poison first in the queue, and others' changes come all the same`() throws {
        try self.phone.edit("p0") { $0.poison = true }
        try self.phone.edit("p1") { $0.n = 1 }
        for round in 1...12 {
            try self.meeting.tablet.create(["round": .number(JSONNumber(round))], pk: "t\(round)")
            try self.meeting.sync(self.meeting.tablet)
            try self.phone.sync(Meeting.collection)
            while let sent = self.phone.outbox.first {
                let isPoisoned = sent.request.frozen.contains { String(decoding: $0, as: UTF8.self).contains("poison") }
                if isPoisoned {
                    try self.phone.failNext(RemoteFailure(.busy, "503"))
                } else {
                    try self.meeting.carryOne(self.phone)
                }
            }
            // The first POST is the first request, and its failure ends that sync.
            if round > 1 { #expect(try self.phone.phase("t\(round)") == .synced, "in round \(round)") }
        }
        #expect(try self.held == ["p0"])
        #expect(try self.meeting.onServer("p1") == ["n": 1])
    }

    @Test(arguments: [false, true])
    func `R17 after a POST that failed as a whole the feed is read, and then the identical bytes go`(
        isRestarted: Bool
    ) throws {
        try self.phone.edit("p0") { $0.n = 1 }
        try self.phone.sync(Meeting.collection)
        let edits = try #require(self.phone.outbox.first).request.frozen
        try self.phone.failNext(RemoteFailure(.offline, "gone"))
        if isRestarted { try self.phone.restart() }
        try self.phone.edit("p1") { $0.n = 1 }
        try self.phone.sync(Meeting.collection)
        #expect(self.phone.outbox.map(\.request.frozen) == [[]])
        try self.meeting.carryOne(self.phone)
        #expect(self.phone.outbox.map(\.request.frozen) == [edits], "first and alone")
        try self.meeting.carry(self.phone)
        #expect(try self.meeting.onServer("p0") == ["n": 1])
        #expect(try self.meeting.onServer("p1") == ["n": 1])
    }

    @Test func `R17 an app that died in the middle of a POST sends first, since no POST is known to have failed`()
        throws
    {
        try self.phone.edit("p0") { $0.n = 1 }
        try self.phone.sync(Meeting.collection)
        try self.phone.restart()
        try self.phone.sync(Meeting.collection)
        #expect(self.phone.outbox.first?.request.uploads.count == 1)
    }
}

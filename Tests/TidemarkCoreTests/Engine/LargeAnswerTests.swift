import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// An answer that is too large does not count as a network failure (Contract §3.6, §3.7).
@Suite struct LargeAnswerTests {
    /// Carries all requests; an answer with more rows than the limit fails as too large.
    private func sync(_ device: Device, _ scenario: SyncScenario, rows limit: Int) throws -> [Int] {
        let tooLarge = RemoteFailure(.invalidAnswer, "The answer is too large.", blame: .answerSize)
        var edits: [Int] = []
        try device.sync(SyncScenario.collection)
        while !device.outbox.isEmpty {
            let sent = device.outbox.removeFirst()
            edits.append(sent.request.uploads.count)
            try #require(edits.count < 100, "the device does not stop sending (I8)")
            let answer = try scenario.remote.exchangeNow(sent.request)
            if answer.results.count + answer.page.rows.count > limit {
                try device.fail(tooLarge, for: sent.token)
            } else {
                try device.receive(answer, for: sent.token)
            }
        }
        return edits
    }

    @Test func `answer-too-large: batches and pages shrink until they fit, and are in sync (X8)`() throws {
        let scenario = try SyncScenario()
        for number in 0..<22 { try scenario.phone.create(["n": 1], pk: "p\(number)") }
        // The server applies all; the answer is too large, and so are the pages with 22 and with 7 rows. The next sync continues.
        #expect(try self.sync(scenario.phone, scenario, rows: 6) == [22, 0, 0])
        #expect(scenario.phone.reports.last?.outcome == .unreachable)
        let edits = try self.sync(scenario.phone, scenario, rows: 6)
        #expect(scenario.phone.reports.last?.outcome == .inSync, "\(edits)")
        #expect(scenario.phone.reports.last?.pushed.count == 22)
        for number in 0..<22 { #expect(try scenario.onServer("p\(number)") == ["n": 1]) }
    }

    @Test func `answer-too-large: pages are halved, too, when both devices changed all records (X8)`() throws {
        let scenario = try SyncScenario()
        for number in 0..<22 { try scenario.phone.create(["n": 1], pk: "p\(number)") }
        try scenario.settle()
        for number in 0..<22 {
            try scenario.phone.edit("p\(number)") { $0.phone = true }
            try scenario.tablet.edit("p\(number)") { $0.tablet = true }
        }
        try scenario.sync(scenario.tablet)
        // The edits are in the first two answers, and all changed rows in the third. Then the limit of a sync is reached.
        #expect(try self.sync(scenario.phone, scenario, rows: 6) == [22, 0, 0])
        #expect(scenario.phone.reports.last?.outcome == .unreachable)
        let edits = try self.sync(scenario.phone, scenario, rows: 6)
        #expect(scenario.phone.reports.last?.outcome == .inSync, "\(edits)")
        for number in 0..<22 {
            #expect(try scenario.onServer("p\(number)") == ["n": 1, "tablet": true, "phone": true])
        }
    }

    @Test func `answer-too-large: only the record whose answer is too large is held (X8)`() throws {
        let scenario = try SyncScenario(devices: ["phone"])
        for pk in ["a", "large", "c"] { try scenario.phone.create(["n": 1], pk: pk) }
        for _ in 0..<12 {
            try scenario.phone.sync(SyncScenario.collection)
            var count = 0
            while let sent = scenario.phone.outbox.first {
                count += 1
                try #require(count < 100, "the device does not stop sending (I8)")
                if sent.request.encodedEdit.contains(where: { String(decoding: $0, as: UTF8.self).contains("large") }) {
                    try scenario.phone.failNext(RemoteFailure(.invalidAnswer, "too large", blame: .answerSize))
                } else {
                    try scenario.carryOne(scenario.phone)
                }
            }
        }
        #expect(try scenario.phone.phase("large") == .created(.held))
        for pk in ["a", "c"] { #expect(try scenario.onServer(pk) == ["n": 1]) }
    }

    @Test(arguments: [1, 2, 3, 5])
    func `oversizedAnswers: a sync receives at most that number of answers that are too large (I8)`(limit: Int) throws {
        var configuration = SyncConfiguration()
        configuration.limits.oversizedAnswers = limit
        let scenario = try SyncScenario(devices: ["phone"], configuration: configuration)
        let tooLarge = RemoteFailure(.invalidAnswer, "The answer is too large.", blame: .answerSize)
        var requests: [[Int]] = []
        for _ in 0..<2 {
            var limits: [Int] = []
            try scenario.phone.sync(SyncScenario.collection)
            while let sent = scenario.phone.outbox.first {
                limits.append(sent.request.limit)
                try #require(limits.count < 20, "the device does not stop sending (I8)")
                try scenario.phone.failNext(tooLarge)
            }
            #expect(scenario.phone.reports.last?.outcome == .unreachable)
            requests.append(limits)
        }
        let steps = [500, 62, 7, 1]
        // The next sync continues with the page that was too large last; a page of one row can't be made smaller.
        let first = Array(steps.prefix(limit))
        let second = Array(steps.dropFirst(first.count - 1).prefix(limit))
        #expect(requests == [first, second])
    }

    @Test func `a sync does not request larger pages again after an answer that was too large (I8)`() throws {
        let scenario = try SyncScenario()
        for number in 0..<200 { try scenario.tablet.create(["n": 1], pk: "p\(number)") }
        try scenario.sync(scenario.tablet)
        let requests = try self.sync(scenario.phone, scenario, rows: 62)
        #expect(scenario.phone.reports.last?.outcome == .inSync)
        // One answer is too large; then three pages of 62 rows, and the rest.
        #expect(requests.count == 5)
    }
}

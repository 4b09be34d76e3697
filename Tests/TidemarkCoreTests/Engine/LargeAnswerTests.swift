import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// An answer that is too large does not count as a network failure (SPEC §3.6, §3.7).
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

    @Test func `answer-too-large: one sync halves the batch until it fits, and is in sync (X8)`() throws {
        let scenario = try SyncScenario()
        for number in 0..<22 { try scenario.phone.create(["n": 1], pk: "p\(number)") }
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
}

import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// An answer that is too large is never the network's doing (SPEC §3.6, §3.7).
@Suite struct LargeAnswerTests {
    /// Carries everything over a line that takes in so many rows in one answer.
    private func sync(_ device: Device, _ meeting: Meeting, rows limit: Int) throws -> [Int] {
        let tooLarge = RemoteFailure(.protocol, "The answer is too large.", blame: .answerSize)
        var edits: [Int] = []
        try device.sync(Meeting.collection)
        while !device.outbox.isEmpty {
            let sent = device.outbox.removeFirst()
            edits.append(sent.request.uploads.count)
            try #require(edits.count < 100, "it does not stop asking (I8)")
            let answer = try meeting.remote.exchangeNow(sent.request)
            if answer.results.count + answer.page.rows.count > limit {
                try device.fail(tooLarge, for: sent.token)
            } else {
                try device.receive(answer, for: sent.token)
            }
        }
        return edits
    }

    @Test func `X8 answer-too-large: one sync halves the batch until it fits, and ends in step`() throws {
        let meeting = try Meeting()
        for number in 0..<22 { try meeting.phone.create(["n": 1], pk: "p\(number)") }
        let edits = try self.sync(meeting.phone, meeting, rows: 6)
        #expect(meeting.phone.reports.last?.outcome == .inStep, "\(edits)")
        #expect(meeting.phone.reports.last?.pushed.count == 22)
        for number in 0..<22 { #expect(try meeting.onServer("p\(number)") == ["n": 1]) }
    }

    @Test func `X8 answer-too-large: pages are halved as well, also when both devices changed everything`() throws {
        let meeting = try Meeting()
        for number in 0..<22 { try meeting.phone.create(["n": 1], pk: "p\(number)") }
        try meeting.settle()
        for number in 0..<22 {
            try meeting.phone.edit("p\(number)") { $0.phone = true }
            try meeting.tablet.edit("p\(number)") { $0.tablet = true }
        }
        try meeting.sync(meeting.tablet)
        let edits = try self.sync(meeting.phone, meeting, rows: 6)
        #expect(meeting.phone.reports.last?.outcome == .inStep, "\(edits)")
        for number in 0..<22 {
            #expect(try meeting.onServer("p\(number)") == ["n": 1, "tablet": true, "phone": true])
        }
    }

    @Test func `X8 answer-too-large: a record whose answer is too large by itself is held, and the rest goes`() throws {
        let meeting = try Meeting(devices: ["phone"])
        for pk in ["a", "large", "c"] { try meeting.phone.create(["n": 1], pk: pk) }
        for _ in 0..<12 {
            try meeting.phone.sync(Meeting.collection)
            var count = 0
            while let sent = meeting.phone.outbox.first {
                count += 1
                try #require(count < 100, "it does not stop asking (I8)")
                if sent.request.frozen.contains(where: { String(decoding: $0, as: UTF8.self).contains("large") }) {
                    try meeting.phone.failNext(RemoteFailure(.protocol, "too large", blame: .answerSize))
                } else {
                    try meeting.carryOne(meeting.phone)
                }
            }
        }
        #expect(try meeting.phone.phase("large") == .created(.held))
        for pk in ["a", "c"] { #expect(try meeting.onServer(pk) == ["n": 1]) }
    }
}

import TidemarkCore
import TidemarkMachine
import TidemarkTesting
import Testing

/// What a server asks for is honoured, within reason (SPEC §3.5, I8).
@Suite struct RetryAfterWaitTests {
    let meeting: Meeting
    let start = Duration.seconds(1_763_000_000)
    var phone: Device { self.meeting.phone }

    init() throws {
        self.meeting = try Meeting(devices: ["phone"])
        self.meeting.server.clock.set(to: self.start)
    }

    private func wait(_ field: String) throws -> Duration {
        try self.phone.sync(Meeting.collection)
        try self.phone.answerNext("", status: 503, headers: ["Retry-After": field])
        return try #require(self.phone.reports.last?.nextTry) - self.start
    }

    @Test(arguments: ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
    func `X7 retry-after of nothing, or in the past, does not shorten the back-off`(field: String) throws {
        var longest = Duration.zero
        for _ in 1...12 { longest = max(longest, try self.wait(field)) }
        #expect(longest > .seconds(10))
    }

    @Test(arguments: ["31536000", "99999999999999999999999", "Fri, 31 Dec 2099 23:59:59 GMT"])
    func `X7 retry-after of years is a day, as seconds and as a date`(field: String) throws {
        #expect(try self.wait(field) == .seconds(86_400))
    }

    @Test(arguments: [("86399", 86_399), ("86400", 86_400), ("86401", 86_400)])
    func `X7 retry-after of a day is the limit`(field: String, seconds: Int) throws {
        #expect(try self.wait(field) == .seconds(seconds))
    }
}

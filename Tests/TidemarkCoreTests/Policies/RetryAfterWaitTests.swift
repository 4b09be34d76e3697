import CoreSupport
import TidemarkCore
import TidemarkMachine
import TidemarkTesting
import Testing

/// Retry-After is honored within limits (Contract §3.5, I8).
@Suite struct RetryAfterWaitTests {
    let scenario: SyncScenario
    let start = Duration.seconds(1_763_000_000)
    var phone: Device { self.scenario.phone }

    init() throws {
        self.scenario = try SyncScenario(devices: ["phone"])
        self.scenario.server.clock.set(to: self.start)
    }

    private func wait(_ field: String, date: String? = nil) throws -> Duration {
        try self.phone.sync(SyncScenario.collection)
        var headers = ["Retry-After": field]
        headers["Date"] = date
        try self.phone.answerNext("", status: 503, headers: headers)
        return try #require(self.phone.reports.last?.nextTry) - self.start
    }

    @Test(arguments: ["0", "Wed, 21 Oct 2015 07:28:00 GMT"])
    func `Retry-After of zero, or in the past, does not shorten the back-off (X7)`(field: String) throws {
        var longest = Duration.zero
        for _ in 1...12 { longest = max(longest, try self.wait(field)) }
        #expect(longest > .seconds(10))
    }

    @Test(arguments: ["31536000", "99999999999999999999999", "Fri, 31 Dec 2099 23:59:59 GMT"])
    func `Retry-After of years is limited to a day, in seconds or as a date (X7)`(field: String) throws {
        #expect(try self.wait(field) == .seconds(86_400))
    }

    @Test(
        arguments: [
            "Thu, 13 Nov 2025 10:00:00 GMT", "Sun, 06 Nov 1994 10:00:00 GMT", "Thu, 13 Nov 2099 10:00:00 GMT",
        ])
    func `Retry-After as a date counts from the server's clock (X7)`(date: String) throws {
        #expect(try self.wait(date.replacing(":00:00", with: ":07:00"), date: date) == .seconds(420))
    }

    @Test(arguments: [("86399", 86_399), ("86400", 86_400), ("86401", 86_400)])
    func `Retry-After has a limit of one day (X7)`(field: String, seconds: Int) throws {
        #expect(try self.wait(field) == .seconds(seconds))
    }
}

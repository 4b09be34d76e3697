import Testing
import TidemarkCore
import TidemarkHTTPFields
import TidemarkWire

@Suite struct `Dates in Retry-After (RFC 9110 §5.6.7)` {
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777),
            ("Sun Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600),
            ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
            ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Mon, 01 Mar 2100 00:00:00 GMT", 4_107_542_400),
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Friday, 20-Nov-26 13:00:00 GMT", 1_795_179_600),
            ("Tuesday, 31-Dec-69 23:59:59 GMT", 3_155_759_999),
            ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ])
    func `all three forms of a date are parsed`(text: String, seconds: Int) {
        #expect(RemoteFailure.RetryAfter(field: text, date: nil) == .time(.seconds(seconds)))
    }

    @Test(
        arguments: [
            "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "06 Nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 November 1994 08:49:37 GMT", "Sun, 0 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-194 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z",
            "Sun Nov  6 08:49 1994", "\u{0}", "Sun, 06 Nov 1994 08:49:37 GMT trailing",
        ])
    func `a text that is not a date of RFC 9110 is refused`(text: String) {
        #expect(RemoteFailure.RetryAfter(field: text, date: nil) == nil)
    }

    /// The clock of the server does not matter: 08:49:37 and later dates of an answer, and the wait in seconds.
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:41 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 4),
            ("Sunday, 06-Nov-94 08:49:41 GMT", "Sun Nov  6 08:49:37 1994", 4),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Sun, 06 Nov 1994 08:49:30 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Fri, 31 Dec 9999 23:59:59 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 86_400),
            ("Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", 0), ("7", "tomorrow", 7),
        ])
    func `a date counts from the Date of the answer`(field: String, date: String, seconds: Int) {
        #expect(RemoteFailure.RetryAfter(field: field, date: date) == .delay(.seconds(seconds)))
    }

    @Test(arguments: [nil, "", "tomorrow", "1994-11-06T08:49:37Z", "784111777"])
    func `a date without a valid Date in the answer is a time`(date: String?) {
        let field = "Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(RemoteFailure.RetryAfter(field: field, date: date) == .time(.seconds(784_111_777)))
    }

    @Test func `a Retry-After over the maximum is capped; parser and client share one maximum`() {
        #expect(HTTPWait.longest == RemoteFailure.RetryAfter.longest)
        #expect(RemoteFailure.RetryAfter(field: "99999999999", date: nil) == .delay(RemoteFailure.RetryAfter.longest))
    }
}

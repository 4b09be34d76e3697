import Foundation
import TestSupport
import Testing
import TidemarkJSON

@Suite struct `Dates are text of RFC 3339, unless the app says otherwise` {
    static let texts: [(String, Double)] = [
        ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.75Z", -0.25), ("2000-02-29T12:34:56Z", 951_827_696),
        ("2025-01-02T03:04:05.123456Z", 1_735_787_045.123456), ("0000-01-01T00:00:00Z", -62_167_219_200),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("1900-03-01T00:00:00Z", -2_203_891_200),
    ]

    @Test(arguments: Self.texts)
    func `a date is text of RFC 3339, for every four-digit year`(text: String, seconds: Double) throws {
        let date = Date(timeIntervalSince1970: seconds)
        #expect(try JSON(encoding: date) == JSON(text))
        #expect(try JSON(text).decode(Date.self) == date)
    }

    @Test func `a date with any offset, small letters, a space or a leap second is read`() throws {
        let date = Date(timeIntervalSince1970: 1_735_787_045)
        for text in [
            "2025-01-02T04:04:05+01:00", "2025-01-01t21:34:05-05:30", "2025-01-02 03:04:05z",
            "2025-01-02T03:04:05.000000000000Z", "2025-01-02T03:04:05-00:00",
        ] {
            #expect(try JSON(text).decode(Date.self) == date, "\(text)")
        }
        #expect(
            try JSON("2016-12-31T23:59:60Z").decode(Date.self) == JSON("2017-01-01T00:00:00Z").decode(Date.self))
    }

    @Test(arguments: [
        "2025-01-02", "2025-01-02T03:04:05", "2025-02-29T00:00:00Z", "2025-13-01T00:00:00Z", "2025-00-01T00:00:00Z",
        "2025-01-00T00:00:00Z", "2025-01-02T24:00:00Z", "2025-01-02T03:60:00Z", "2025-01-02T03:04:61Z",
        "2025-01-02T03:04:05.Z", "2025-01-02T03:04:05+1:00", "2025-01-02T03:04:05Zz", "25-01-02T03:04:05Z", "",
        "2025-01-02T03:04:05+24:00", "２025-01-02T03:04:05Z", "1900-02-29T00:00:00Z",
    ])
    func `a text that is not a date of RFC 3339 is refused`(text: String) {
        #expect(throws: DecodingError.self) { try JSON(text).decode(Date.self) }
    }

    @Test func `every date reads back the same to the nanosecond, and as Foundation reads it`() throws {
        let formatter = ISO8601DateFormatter()
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2_000 {
            let seconds = Double.random(in: -3e9...5e9, using: &random)
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let read = try JSON(encoding: date).decode(Date.self)
            // A `Date` resolves fractions of a nanosecond only around the start of 2001.
            #expect(read == date || (seconds.magnitude < 1e7 && abs(read.timeIntervalSince(date)) < 1e-9))
            let whole = Date(timeIntervalSinceReferenceDate: seconds.rounded())
            #expect(try JSON(encoding: whole).string == formatter.string(from: whole))
        }
    }

    @Test func `a date strategy changes the spelling, inside of nested values as well`() throws {
        let dates = ["a": [Date(timeIntervalSince1970: 90_061.25)]]
        let days = JSONDates("as days since 1970") {
            JSON(Int(($0.timeIntervalSince1970 / 86_400).rounded(.down)))
        } date: {
            $0.int.map { Date(timeIntervalSince1970: Double($0) * 86_400) }
        }
        #expect(try JSON(encoding: dates, dates: .secondsSince1970).text == #"{"a":[90061.25]}"#)
        #expect(try JSON(encoding: dates, dates: .millisecondsSince1970).text == #"{"a":[90061250]}"#)
        #expect(try JSON(encoding: dates, dates: .rfc3339(digits: 3)).text == #"{"a":["1970-01-02T01:01:01.250Z"]}"#)
        #expect(try JSON(encoding: dates, dates: .rfc3339(digits: 0)).text == #"{"a":["1970-01-02T01:01:01Z"]}"#)
        #expect(try JSON(encoding: dates, dates: days).text == #"{"a":[1]}"#)
        for form in [JSONDates.secondsSince1970, .millisecondsSince1970, .rfc3339(digits: 2)] {
            #expect(try JSON(encoding: dates, dates: form).decode(dates: form) == dates)
        }
        let error = try #require(throws: DecodingError.self) { try JSON(["x"]).decode([Date].self, dates: days) }
        #expect("\(error)".contains("is not a date as days since 1970"))
    }
}

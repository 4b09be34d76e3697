/// A time in HTTP, in any of the three formats that a recipient has to accept (RFC 9110 §5.6.7).
///
///     Sun, 06 Nov 1994 08:49:37 GMT        IMF-fixdate
///     Sunday, 06-Nov-94 08:49:37 GMT       RFC 850
///     Sun Nov  6 08:49:37 1994             asctime
package struct HTTPDate {
    /// The time since 1970-01-01T00:00:00Z; negative before that time.
    package let sinceEpoch: Duration

    /// Reads a field value; nil unless it has one of the three formats.
    package init?(_ text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
        guard let weekday = words.first, Self.isWeekday(weekday) else { return nil }
        let parts: (day: Substring, month: Substring, year: Substring, time: Substring)
        switch words.count {
        case 6 where words[5] == "GMT":
            parts = (words[1], words[2], words[3], words[4])
        case 4 where words[3] == "GMT":
            let date = Self.parts(of: words[1], at: UInt8(ascii: "-"))
            guard date.count == 3 else { return nil }
            parts = (date[0], date[1], date[2], words[2])
        case 5:
            parts = (words[2], words[1], words[4], words[3])
        default:
            return nil
        }
        guard let days = Self.days(parts.day, parts.month, parts.year), let seconds = Self.seconds(parts.time) else {
            return nil
        }
        self.sinceEpoch = .seconds(days * 86_400 + seconds)
    }

    private static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func isWeekday(_ word: Substring) -> Bool {
        let name = word.utf8.last == UInt8(ascii: ",") ? Substring(word.utf8.dropLast()) : word
        return Self.weekdays.contains { $0 == name || $0.prefix(3) == name }
    }

    private static func days(_ day: Substring, _ month: Substring, _ year: Substring) -> Int? {
        guard let day = Self.number(day, digits: 1...2), let index = Self.months.firstIndex(of: String(month)),
            let year = Self.year(year), (1...Self.length(ofMonth: index + 1, year: year)).contains(day)
        else { return nil }
        return Self.daysSinceEpoch(year: year, month: index + 1, day: day)
    }

    /// Two digits mean a year from 1970 to 2069, independent of the clock.
    private static func year(_ text: Substring) -> Int? {
        guard let number = Self.number(text, digits: 2...4) else { return nil }
        return switch text.utf8.count {
        case 2: number < 70 ? 2000 + number : 1900 + number
        case 4: number
        default: nil
        }
    }

    /// A second 60 is a leap second, and counts as the first of the next minute.
    private static func seconds(_ text: Substring) -> Int? {
        let parts = Self.parts(of: text, at: UInt8(ascii: ":"))
        let numbers = parts.compactMap { Self.number($0, digits: 2...2) }
        guard parts.count == 3, numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else {
            return nil
        }
        return numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    }

    private static func parts(of text: Substring, at byte: UInt8) -> [Substring] {
        text.utf8.split(separator: byte, omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// Reads digits only; `Int` alone would accept a sign.
    private static func number(_ text: Substring, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return nil }
        return Int(text)
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Counts from a first of March, so that a leap day is the last of its year, and in eras of 400 years, which all
    /// have 146,097 days.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted >= 0 ? shifted / 400 : (shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

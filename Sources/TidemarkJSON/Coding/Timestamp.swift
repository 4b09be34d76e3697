/// A time in the format of RFC 3339, in UTC.
package struct Timestamp {
    /// Whole seconds since 2001-01-01T00:00:00Z.
    private let seconds: Int

    /// The digits after the seconds, as a whole number.
    private let fraction: Int

    /// The number of digits of `fraction`.
    private let digits: Int

    private static let mostDigits = 9
    private static let secondsOfDay = 86_400
    /// From 1970 to 2001.
    private static let daysTo2001 = 11_323
    /// RFC 3339 has four digits for a year.
    private static let years = 0...9_999

    /// Makes a timestamp with as many digits as are needed to read the same time back, or with the requested number.
    ///
    /// Returns nil for a year that has not four digits.
    init?(secondsSince2001 moment: Double, digits: Int?) {
        let limit = Double(Timestamp.years.upperBound * 366 * Timestamp.secondsOfDay)
        guard moment.magnitude < limit else { return nil }
        let candidates = (digits.map { $0...$0 } ?? 0...Timestamp.mostDigits).lazy.map { Timestamp(moment, digits: $0) }
        guard
            let timestamp = candidates.first(where: { $0.secondsSince2001 == moment })
                ?? candidates.last, Timestamp.years.contains(timestamp.date.year)
        else { return nil }
        self = timestamp
    }

    private init(_ moment: Double, digits: Int) {
        let second = moment.rounded(.down)
        let scale = Timestamp.power(digits)
        let fraction = Int(((moment - second) * Double(scale)).rounded())
        self.seconds = Int(second) + fraction / scale
        self.fraction = fraction % scale
        self.digits = digits
    }

    /// The time in the unit of `Date`.
    var secondsSince2001: Double {
        Double(self.seconds) + Double(self.fraction) / Double(Timestamp.power(self.digits))
    }

    /// Makes a timestamp with three digits after the seconds, or with six if it needs them.
    package init(microsecondsSince1970 moment: Int) {
        let seconds = Timestamp.floor(moment, 1_000_000)
        let rest = moment - seconds * 1_000_000
        self.seconds = seconds - Timestamp.daysTo2001 * Timestamp.secondsOfDay
        (self.fraction, self.digits) = rest % 1_000 == 0 ? (rest / 1_000, 3) : (rest, 6)
    }

    /// The time, rounded down to a microsecond.
    package var microsecondsSince1970: Int {
        (self.seconds + Timestamp.daysTo2001 * Timestamp.secondsOfDay) * 1_000_000
            + self.fraction * 1_000_000 / Timestamp.power(self.digits)
    }

    /// The text, such as `2025-01-02T03:04:05.25Z`.
    package var text: String {
        let (year, month, day) = self.date
        let time = self.seconds - Timestamp.floor(self.seconds, Timestamp.secondsOfDay) * Timestamp.secondsOfDay
        let fraction = self.digits == 0 ? "" : "." + Timestamp.padded(self.fraction, self.digits)
        return Timestamp.padded(year, 4) + "-" + Timestamp.padded(month, 2) + "-" + Timestamp.padded(day, 2) + "T"
            + Timestamp.padded(time / 3_600, 2) + ":" + Timestamp.padded(time / 60 % 60, 2) + ":"
            + Timestamp.padded(time % 60, 2) + fraction + "Z"
    }

    private static func padded(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }

    private static func power(_ digits: Int) -> Int {
        (0..<digits).reduce(1) { power, _ in power * 10 }
    }

    private static func floor(_ number: Int, _ divisor: Int) -> Int {
        (number - (number % divisor + divisor) % divisor) / divisor
    }
}

// The proleptic Gregorian calendar, in eras of 400 years that begin in March, so that a leap day ends its year.
extension Timestamp {
    private static let daysOfEra = 146_097
    /// From 0000-03-01 to 1970-01-01.
    private static let daysTo1970 = 719_468

    private var date: (year: Int, month: Int, day: Int) {
        let days = Timestamp.floor(self.seconds, Timestamp.secondsOfDay) + Timestamp.daysTo2001 + Timestamp.daysTo1970
        let era = Timestamp.floor(days, Timestamp.daysOfEra)
        let dayOfEra = days - era * Timestamp.daysOfEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / (Timestamp.daysOfEra - 1)) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// Days since 2001-01-01; nil if the month has no such day.
    private static func days(year: Int, month: Int, day: Int) -> Int? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        let marchYear = month <= 2 ? year - 1 : year
        let era = self.floor(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * self.daysOfEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - self.daysTo1970
            - self.daysTo2001
    }

    /// Reads a text of RFC 3339 §5.6, with any offset; a leap second counts as the second after it.
    package init?(_ text: String) {
        var reader = TimestampReader(text)
        guard let year = reader.number(of: 4), reader.take("-"), let month = reader.number(of: 2), reader.take("-"),
            let day = reader.number(of: 2), let days = Timestamp.days(year: year, month: month, day: day),
            reader.take("T", "t", " "),
            let hour = reader.number(of: 2), hour < 24, reader.take(":"),
            let minute = reader.number(of: 2), minute < 60, reader.take(":"),
            let second = reader.number(of: 2), second <= 60, let fraction = reader.fraction(Timestamp.mostDigits),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        self.seconds = days * Timestamp.secondsOfDay + hour * 3_600 + minute * 60 + second - offset
        self.fraction = fraction.digits
        self.digits = fraction.count
    }
}

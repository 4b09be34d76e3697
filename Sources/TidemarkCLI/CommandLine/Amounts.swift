// Amounts with a unit, as the user types them.

/// A number of bytes: `8MiB`, `500kB`, `65536`.
struct ByteSize {
    let bytes: Int

    private static let units: [(name: String, bytes: Int)] = [
        ("kib", 1 << 10), ("mib", 1 << 20), ("gib", 1 << 30), ("kb", 1_000), ("mb", 1_000_000), ("gb", 1_000_000_000),
        ("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30), ("b", 1),
    ]

    init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let unit = text.dropFirst(digits.count).lowercased()
        guard let factor = unit.isEmpty ? 1 : Self.units.first(where: { $0.name == unit })?.bytes,
            let number = Int(digits), number > 0
        else { return nil }
        let (bytes, isTooMuch) = number.multipliedReportingOverflow(by: factor)
        guard !isTooMuch else { return nil }
        self.bytes = bytes
    }

    /// A number of bytes as text, rounded down.
    static func inWords(_ bytes: Int) -> String {
        switch bytes {
        case ..<(1 << 10): "\(bytes) B"
        case ..<(1 << 20): "\(bytes >> 10) KiB"
        case _: "\(bytes >> 20) MiB"
        }
    }
}

/// A span of time: `90d`, `30s`, `500ms`.
struct TimeSpan {
    let duration: Duration

    private static let units: [String: Duration] = [
        "ms": .milliseconds(1), "s": .seconds(1), "m": .seconds(60), "min": .seconds(60), "h": .seconds(3_600),
        "d": .seconds(86_400), "w": .seconds(604_800),
    ]

    init?(_ text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let unit = Self.units[text.dropFirst(digits.count).lowercased()],
            let number = Int(digits), number > 0, number <= 1_000_000
        else { return nil }
        self.duration = unit * number
    }
}

/// A whole number as the user types it: digits alone. `Int` also accepts a sign.
enum Digits {
    static func number(_ text: Substring) -> Int? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int(text)
    }
}

extension Arguments {
    /// The value of an option as a number of bytes; nil when it was not given.
    func size(_ option: Option) throws(UsageError) -> Int? {
        guard let text = self.value(option) else { return nil }
        guard let size = ByteSize(text) else {
            throw UsageError(
                "\(option.name) \(text) is not a size; write it as 8MiB, 500kB or 65536", for: self.command)
        }
        return size.bytes
    }

    /// The value of an option as a span of time; nil when it was not given.
    func span(_ option: Option) throws(UsageError) -> Duration? {
        guard let text = self.value(option) else { return nil }
        guard let span = TimeSpan(text) else {
            throw UsageError(
                "\(option.name) \(text) is not a span of time; write it as 90d, 12h or 30s", for: self.command)
        }
        return span.duration
    }

    /// The value of an option as a number from 1; nil when it was not given.
    func number(_ option: Option) throws(UsageError) -> Int? {
        guard let text = self.value(option) else { return nil }
        guard let number = Digits.number(text[...]), number > 0, number <= 1_000_000_000_000 else {
            throw UsageError("\(option.name) \(text) is not a number from 1 to 1000000000000", for: self.command)
        }
        return number
    }
}

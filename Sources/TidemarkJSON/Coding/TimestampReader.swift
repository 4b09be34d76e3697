/// Reads the parts of a timestamp, from left to right.
struct TimestampReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        self.rest = text[...].utf8
    }

    var isAtEnd: Bool { self.rest.isEmpty }

    /// Skips one of these characters.
    mutating func take(_ characters: Unicode.Scalar...) -> Bool {
        guard let byte = self.rest.first, characters.contains(where: { UInt8(ascii: $0) == byte }) else { return false }
        self.rest.removeFirst()
        return true
    }

    /// Reads a number of `count` digits.
    mutating func number(of count: Int) -> Int? {
        var number = 0
        for _ in 0..<count {
            guard let digit = self.digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Reads the digits after a point, if there is one: the first digits, no more than `limit`.
    mutating func fraction(_ limit: Int) -> (digits: Int, count: Int)? {
        guard self.take(".") else { return (0, 0) }
        guard let first = self.digit() else { return nil }
        var fraction = (digits: first, count: 1)
        while let digit = self.digit() {
            guard fraction.count < limit else { continue }
            fraction = (fraction.digits * 10 + digit, fraction.count + 1)
        }
        return fraction
    }

    /// Reads the offset from UTC in seconds.
    mutating func offset() -> Int? {
        if self.take("Z", "z") { return 0 }
        let isNegative = self.rest.first == UInt8(ascii: "-")
        guard self.take("+", "-"), let hours = self.number(of: 2), hours < 24, self.take(":"),
            let minutes = self.number(of: 2), minutes < 60
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    private mutating func digit() -> Int? {
        guard let byte = self.rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        self.rest.removeFirst()
        return Int(byte - UInt8(ascii: "0"))
    }
}

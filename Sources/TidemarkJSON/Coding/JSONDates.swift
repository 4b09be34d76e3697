/// The format of dates in JSON.
///
/// **Choose.** ``rfc3339`` is the format that most programs read. If dates are compared as text by the rules `min`, `max` or
/// `latest`, every date needs the same number of digits: ``rfc3339(digits:)``.
///
/// **Use an existing one.** `JSON(encoding: note, dates: .millisecondsSince1970)`, and the same for `decode`.
///
/// **Write your own.** Pass a name that completes the sentence "this date can't be written …", and two closures, each the
/// inverse of the other.
///
/// ```swift
/// let days = JSONDates("as days since 1970") {
///     JSON(Int(($0.timeIntervalSince1970 / 86_400).rounded(.down)))
/// } date: {
///     $0.int.map { Date(timeIntervalSince1970: Double($0) * 86_400) }
/// }
/// ```
public struct JSONDates: Sendable {
    /// The name of the format, such as `as RFC 3339 text`.
    public let name: String

    /// Converts seconds since 2001-01-01T00:00:00Z, the unit of a `Date`, to JSON; nil if this format has no such date.
    let writing: @Sendable (Double) -> JSON?

    /// Converts JSON of this format to the same seconds.
    let reading: @Sendable (JSON) -> Double?

    init(
        _ name: String, writing: @escaping @Sendable (Double) -> JSON?, reading: @escaping @Sendable (JSON) -> Double?
    ) {
        self.name = name
        self.writing = writing
        self.reading = reading
    }

    /// Text of RFC 3339 in UTC, `2025-01-02T03:04:05Z`, with as many digits of a second as are needed to read the same date
    /// back, nine at most. It reads any offset and any number of digits.
    public static let rfc3339 = JSONDates("as RFC 3339 text", writing: { Self.text($0, nil) }, reading: Self.timestamp)

    /// Text of RFC 3339 in UTC with a fixed number of digits of a second, nine at most, so that the text sorts as the dates do.
    /// The rest of a second is rounded.
    public static func rfc3339(digits: Int) -> JSONDates {
        JSONDates("as RFC 3339 text", writing: { Self.text($0, max(0, min(digits, 9))) }, reading: Self.timestamp)
    }

    /// A number of seconds since 1970.
    public static let secondsSince1970 = JSONDates(
        "as seconds since 1970", writing: { JSONNumber($0 + Self.from1970).map(JSON.number) },
        reading: { $0.double.map { $0 - Self.from1970 } })

    /// A number of milliseconds since 1970, as in JavaScript.
    public static let millisecondsSince1970 = JSONDates(
        "as milliseconds since 1970", writing: { JSONNumber(($0 + Self.from1970) * 1_000).map(JSON.number) },
        reading: { $0.double.map { $0 / 1_000 - Self.from1970 } })

    /// Seconds from 1970 to 2001.
    private static let from1970 = 978_307_200.0

    private static func text(_ moment: Double, _ digits: Int?) -> JSON? {
        Timestamp(secondsSince2001: moment, digits: digits).map { .string(JSONString($0.text)) }
    }

    @Sendable private static func timestamp(_ json: JSON) -> Double? {
        json.string.flatMap { Timestamp($0) }.map { $0.secondsSince2001 }
    }
}

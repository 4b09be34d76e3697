#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// How dates are written in JSON.
///
/// **Choose.** ``rfc3339`` is what most programs read. Where text is compared by the rules `min`, `max` or `latest`, every
/// date needs the same number of digits: ``rfc3339(digits:)``.
///
/// **Use an existing one.** `JSON(encoding: note, dates: .millisecondsSince1970)`, and the same for `decode`.
///
/// **Write your own.** Give a name that ends the sentence "this date can't be written …", and two closures, each the inverse
/// of the other.
///
/// ```swift
/// let days = JSONDates("as days since 1970") {
///     JSON(Int(($0.timeIntervalSince1970 / 86_400).rounded(.down)))
/// } date: {
///     $0.int.map { Date(timeIntervalSince1970: Double($0) * 86_400) }
/// }
/// ```
public struct JSONDates: Sendable {
    /// What the form is called, such as `as RFC 3339 text`.
    public let name: String

    private let writing: @Sendable (Date) -> JSON?
    private let reading: @Sendable (JSON) -> Date?

    /// Makes a form of two closures; nil says that there is no such date.
    public init(
        _ name: String, json: @escaping @Sendable (Date) -> JSON?, date: @escaping @Sendable (JSON) -> Date?
    ) {
        self.name = name
        self.writing = json
        self.reading = date
    }

    /// The date as JSON, or nil where this form has no such date.
    public func json(of date: Date) -> JSON? { self.writing(date) }

    /// The date that JSON means, or nil if it has another form.
    public func date(of json: JSON) -> Date? { self.reading(json) }

    /// Text of RFC 3339 in UTC, `2025-01-02T03:04:05Z`, with as many digits of a second as the date needs to come back
    /// the same, nine at most. Any offset and any number of digits are read.
    public static let rfc3339 = JSONDates("as RFC 3339 text", json: { Self.text($0, nil) }, date: Self.timestamp)

    /// Text of RFC 3339 in UTC with always so many digits of a second, nine at most, so that the text sorts as the dates
    /// do. The rest of a second is rounded away.
    public static func rfc3339(digits: Int) -> JSONDates {
        JSONDates("as RFC 3339 text", json: { Self.text($0, max(0, min(digits, 9))) }, date: Self.timestamp)
    }

    /// A number of seconds since 1970.
    public static let secondsSince1970 = JSONDates(
        "as seconds since 1970", json: { JSONNumber($0.timeIntervalSince1970).map(JSON.number) },
        date: { $0.double.map { Date(timeIntervalSince1970: $0) } })

    /// A number of milliseconds since 1970, as JavaScript has it.
    public static let millisecondsSince1970 = JSONDates(
        "as milliseconds since 1970", json: { JSONNumber($0.timeIntervalSince1970 * 1_000).map(JSON.number) },
        date: { $0.double.map { Date(timeIntervalSince1970: $0 / 1_000) } })

    private static func text(_ date: Date, _ digits: Int?) -> JSON? {
        Timestamp(secondsSince2001: date.timeIntervalSinceReferenceDate, digits: digits)
            .map { .string(JSONString($0.text)) }
    }

    @Sendable private static func timestamp(_ json: JSON) -> Date? {
        json.string.flatMap { Timestamp($0) }.map { Date(timeIntervalSinceReferenceDate: $0.secondsSince2001) }
    }
}

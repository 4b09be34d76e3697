/// The wait in a `Retry-After` field (RFC 9110 §10.2.3).
package enum HTTPWait: Hashable, Sendable {
    /// After a delay.
    case delay(Duration)

    /// At a time, counted from 1970-01-01T00:00:00Z.
    case time(Duration)

    /// The maximum wait that is accepted: a day. A longer one is an error of the server or of its clock.
    package static let longest = Duration.seconds(86_400)

    /// Reads the value of a field, and makes a date a delay from the `Date` of the same answer: both are times of the server's
    /// clock, so the device's clock does not matter. Without a valid `Date` a date stays a time.
    ///
    /// - Parameters:
    ///   - field: The value of `Retry-After`.
    ///   - date: The value of `Date`; nil if the answer has none.
    package init?(field: String, date: String?) {
        guard let wait = HTTPWait(field: field) else { return nil }
        switch wait {
        case .delay: self = wait
        case .time(let time):
            guard let date = date.flatMap({ HTTPDate($0) }) else {
                self = wait
                return
            }
            self = .delay(min(max(time - date.sinceEpoch, .zero), Self.longest))
        }
    }

    /// Reads the value of a field: whole seconds or an HTTP date; nil for any other text.
    private init?(field: String) {
        let text = field.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }.joined(separator: " ")
        let isNumber = !text.isEmpty && text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        if isNumber {
            // A number that does not fit into an Int is over the maximum as well.
            self = .delay(min(Int(text).map { .seconds($0) } ?? Self.longest, Self.longest))
        } else if let date = HTTPDate(text) {
            self = .time(date.sinceEpoch)
        } else {
            return nil
        }
    }
}

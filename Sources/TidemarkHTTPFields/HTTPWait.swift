/// When a server wants to be asked again: what a `Retry-After` field says (RFC 9110 §10.2.3).
package enum HTTPWait: Hashable, Sendable {
    /// After some time.
    case delay(Duration)

    /// At a time, counted from 1970-01-01T00:00:00Z.
    case time(Duration)

    /// The longest wait that is believed: a day. A server that says more has made a mistake, or its clock is wrong.
    package static let longest = Duration.seconds(86_400)

    /// Reads the value of a field: whole seconds or an HTTP date; nil when it is neither.
    package init?(field: String) {
        let text = field.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }.joined(separator: " ")
        let isNumber = !text.isEmpty && text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        if isNumber {
            // What does not fit into an Int is longer than the longest as well.
            self = .delay(min(Int(text).map { .seconds($0) } ?? Self.longest, Self.longest))
        } else if let date = HTTPDate(text) {
            self = .time(date.sinceEpoch)
        } else {
            return nil
        }
    }
}

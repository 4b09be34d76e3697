extension RemoteFailure.RetryAfter {
    /// The longest wait that is believed: a day. A server that says more has made a mistake, or its clock is wrong.
    public static let longest = Duration.seconds(86_400)

    /// Reads the value of a `Retry-After` field: whole seconds or an HTTP date (RFC 9110 §10.2.3); nil when it is neither.
    ///
    /// ```swift
    /// RemoteFailure.RetryAfter(field: "120")                              // .delay(.seconds(120))
    /// RemoteFailure.RetryAfter(field: "Sun, 06 Nov 1994 08:49:37 GMT")    // .time(.seconds(784_111_777))
    /// ```
    public init?(field: String) {
        let text = field.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
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

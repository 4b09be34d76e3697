package import TidemarkCore
import TidemarkHTTPFields

extension RemoteFailure.RetryAfter {
    /// Reads the value of a `Retry-After` field: whole seconds or an HTTP date (RFC 9110 §10.2.3); nil for any other text. A
    /// date is a delay from the `Date` of the same answer, or a time if the answer has none.
    ///
    /// ```
    /// let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    /// RemoteFailure.RetryAfter(field: "120", date: date)    // .delay(.seconds(120))
    /// RemoteFailure.RetryAfter(field: date, date: nil)      // .time(.seconds(784_111_777))
    /// RemoteFailure.RetryAfter(field: date, date: date)     // .delay(.zero)
    /// ```
    package init?(field: String, date: String?) {
        switch HTTPWait(field: field, date: date) {
        case .delay(let delay): self = .delay(delay)
        case .time(let time): self = .time(time)
        case nil: return nil
        }
    }
}

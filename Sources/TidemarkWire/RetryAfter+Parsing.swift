package import TidemarkCore
import TidemarkHTTPFields

extension RemoteFailure.RetryAfter {
    /// Reads the value of a `Retry-After` field: whole seconds or an HTTP date (RFC 9110 §10.2.3); nil for any other text.
    ///
    /// ```
    /// RemoteFailure.RetryAfter(field: "120")                              // .delay(.seconds(120))
    /// RemoteFailure.RetryAfter(field: "Sun, 06 Nov 1994 08:49:37 GMT")    // .time(.seconds(784_111_777))
    /// ```
    package init?(field: String) {
        switch HTTPWait(field: field) {
        case .delay(let delay): self = .delay(delay)
        case .time(let time): self = .time(time)
        case nil: return nil
        }
    }
}

import TidemarkHTTPClient
import TidemarkCore
public import TidemarkRules

extension TidemarkError.Code {
    /// The URL of a server is invalid.
    public static let invalidURL = TidemarkError.Code("invalidURL")

    /// A token can't be sent: RFC 6750 §2.1 allows letters, digits and `-._~+/`, with `=` at the end.
    public static let invalidToken = TidemarkError.Code("invalidToken")
}

extension TidemarkError {
    /// Converts the reason why no client could be made.
    init(_ failure: HTTPFailure) {
        self.init(failure.kind == .noCredentials ? .invalidToken : .invalidURL, failure.message)
    }
}

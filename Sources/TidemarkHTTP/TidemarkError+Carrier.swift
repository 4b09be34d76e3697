import TidemarkCarrier
import TidemarkCore
public import TidemarkRules

extension TidemarkError.Code {
    /// The URL of a server can't be right.
    public static let invalidURL = TidemarkError.Code("invalidURL")

    /// A token can't be sent: RFC 6750 §2.1 allows letters, digits and `-._~+/`, with `=` at the end.
    public static let invalidToken = TidemarkError.Code("invalidToken")
}

extension TidemarkError {
    /// Why there is no carrier to a server.
    init(_ failure: CarrierFailure) {
        self.init(failure.kind == .noCredentials ? .invalidToken : .invalidURL, failure.message)
    }
}

import TidemarkHTTPClient
import TidemarkCore
public import TidemarkRules

extension TidemarkError.Code {
    /// The URL of a server is invalid.
    public static let invalidURL = TidemarkError.Code("invalidURL")

    /// A token can't be sent: RFC 6750 §2.1 allows letters, digits and `-._~+/`, with `=` at the end.
    public static let invalidToken = TidemarkError.Code("invalidToken")

    /// An additional header field can't be sent, or the protocol sets it.
    public static let invalidHeader = TidemarkError.Code("invalidHeader")

    /// The certificates to trust are no PEM, damaged, or with a private key.
    public static let invalidCertificates = TidemarkError.Code("invalidCertificates")

    /// A pinned key is not a SHA-256 in Base64, or there are none or too many.
    public static let invalidPinnedKeys = TidemarkError.Code("invalidPinnedKeys")
}

extension TidemarkError {
    /// Converts the reason why no client could be made.
    init(_ failure: HTTPFailure) {
        self.init(failure.kind == .noCredentials ? .invalidToken : .invalidURL, failure.message)
    }
}

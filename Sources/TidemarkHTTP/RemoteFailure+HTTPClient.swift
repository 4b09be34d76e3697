public import TidemarkCore
public import TidemarkHTTPClient
import TidemarkMachine

extension RemoteFailure {
    /// Converts the failure of a request without an answer to that of a sync (Contract §3.5).
    public init(_ failure: HTTPFailure) {
        switch failure.kind {
        case .unreachable, .brokenOff: self.init(.offline, failure.message)
        case .notUnderstood, .unsendable: self.init(.invalidAnswer, failure.message)
        case .tooLarge: self.init(.invalidAnswer, failure.message, blame: .answerSize)
        case .noCredentials: self.init(.auth, failure.message)
        case .cancelled: self.init(.cancelled, failure.message)
        }
    }
}

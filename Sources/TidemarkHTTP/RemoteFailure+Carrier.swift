import TidemarkCarrier
import TidemarkCore
import TidemarkMachine

extension RemoteFailure {
    /// What a request that brought no answer means to a sync (SPEC §3.5).
    init(_ failure: CarrierFailure) {
        switch failure.kind {
        case .unreachable, .brokenOff: self.init(.offline, failure.message)
        case .notUnderstood, .unsendable: self.init(.protocol, failure.message)
        case .tooLarge: self.init(.protocol, failure.message, blame: .answerSize)
        case .noCredentials: self.init(.auth, failure.message)
        case .cancelled: self.init(.cancelled, failure.message)
        }
    }
}

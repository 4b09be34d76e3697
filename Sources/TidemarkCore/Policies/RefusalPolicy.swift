public import TidemarkJSON
public import TidemarkMachine

/// Decides what happens to one change that the server refused for its content (Contract §3.5), while other changes are
/// sent.
///
/// **Choose.** `.leave` (the default) holds it and shows the reason; `.ask` does the same and reports that the user has to
/// decide; `.resign` discards the change; `.retry(tries: 3)` sends it again a number of times.
///
/// **Use an existing one.** `configuration.policies.refused = .resign`
///
/// **Write your own.** A policy is a value with one function. It must be pure: no clock, no network, no store. It is called
/// only if the refused change is still the present one: a change that the app has edited since is sent anyway.
///
/// ```swift
/// struct ServerKnowsPrices: RefusalPolicy {
///     func decide(_ refusal: RefusedChange) -> RefusalVerdict {
///         refusal.collection == "prices" ? .resign : .leave
///     }
/// }
/// ```
///
/// **Test it.** Make a ``RefusedChange`` and call ``decide(_:)``; no client is needed.
public protocol RefusalPolicy: Sendable {
    /// Returns what happens next.
    func decide(_ refusal: RefusedChange) -> RefusalVerdict
}

/// One change that the server refused for its content.
public struct RefusedChange: Hashable, Sendable {
    /// The name of the collection.
    public let collection: String

    /// The pk of the record.
    public let pk: String

    /// The refused operation: create, edit or delete.
    public let state: SyncState

    /// The HTTP status of the refusal; nil if the server gave none for this change.
    public let status: Int?

    /// The server's problem document (RFC 9457).
    public let problem: JSON

    /// How often it was refused, including this time: 1, 2, 3, …
    public let attempt: Int

    /// Makes a refused change, for a test of a policy.
    public init(
        collection: String, pk: String, state: SyncState, status: Int?, problem: JSON = [:], attempt: Int = 1
    ) {
        self.collection = collection
        self.pk = pk
        self.state = state
        self.status = status
        self.problem = problem
        self.attempt = attempt
    }
}

/// The decision of a policy about a refused change.
public enum RefusalVerdict: Hashable, Sendable {
    /// The change is held with the server's problem, until it is edited, retried or resigned.
    case leave

    /// The change is held, and the app is told that the user has to decide.
    case ask

    /// The change is discarded (R19–R21) and goes to the journal, with the reason `rejected`.
    case resign

    /// The change is sent again with the next sync, and the report has the time of the next useful try.
    case retry
}

extension FailurePolicies {
    /// Holds a refused change, and shows the reason.
    public struct LeaveHeld: RefusalPolicy {
        /// Makes the policy.
        public init() {}

        /// Holds it.
        public func decide(_ refusal: RefusedChange) -> RefusalVerdict { .leave }
    }

    /// Holds a refused change until the user decides.
    public struct AskAboutRefusal: RefusalPolicy {
        /// Makes the policy.
        public init() {}

        /// Leaves the decision to the user.
        public func decide(_ refusal: RefusedChange) -> RefusalVerdict { .ask }
    }

    /// Discards a refused change.
    public struct ResignRefused: RefusalPolicy {
        /// Makes the policy.
        public init() {}

        /// Resigns.
        public func decide(_ refusal: RefusedChange) -> RefusalVerdict { .resign }
    }

    /// Sends a refused change again a number of times, and then holds it.
    public struct RetryRefused: RefusalPolicy {
        /// The maximum number of refusals: 1 holds it at the first refusal.
        public var tries: Int

        /// Makes the policy.
        public init(tries: Int) {
            self.tries = tries
        }

        /// Tries again while there are tries left.
        public func decide(_ refusal: RefusedChange) -> RefusalVerdict {
            refusal.attempt < self.tries ? .retry : .leave
        }
    }
}

extension RefusalPolicy where Self == FailurePolicies.LeaveHeld {
    /// Holds a refused change, and shows the reason.
    public static var leave: FailurePolicies.LeaveHeld { FailurePolicies.LeaveHeld() }
}

extension RefusalPolicy where Self == FailurePolicies.AskAboutRefusal {
    /// Holds a refused change until the user decides.
    public static var ask: FailurePolicies.AskAboutRefusal { FailurePolicies.AskAboutRefusal() }
}

extension RefusalPolicy where Self == FailurePolicies.ResignRefused {
    /// Discards a refused change.
    public static var resign: FailurePolicies.ResignRefused { FailurePolicies.ResignRefused() }
}

extension RefusalPolicy where Self == FailurePolicies.RetryRefused {
    /// Sends a refused change again a number of times, and then holds it.
    public static func retry(tries: Int) -> FailurePolicies.RetryRefused { FailurePolicies.RetryRefused(tries: tries) }
}

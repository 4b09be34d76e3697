public import TidemarkJSON
public import TidemarkMachine

/// What becomes of one change that the server refused for its content (SPEC §3.5), while the others go on.
///
/// **Choose.** `.leave` (the default) keeps it and shows why; `.ask` does the same and says that a person is waited for;
/// `.resign` gives the change up; `.retry(tries: 3)` sends it again some times.
///
/// **Use an existing one.** `configuration.policies.refused = .resign`
///
/// **Write your own.** A policy is a value with one function. It must be pure: no clock, no network, no store. It is
/// asked only while the change is what the server refused: one that the app has changed since is sent anyway.
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
    /// Says what happens next.
    func decide(_ refusal: RefusedChange) -> RefusalVerdict
}

/// One change that the server refused for its content.
public struct RefusedChange: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// The record.
    public let pk: String

    /// What the server refused to do with it: make, change or delete it.
    public let state: SyncState

    /// The HTTP status of the refusal; nil when the server gave none for this change.
    public let status: Int?

    /// The server's problem document (RFC 9457).
    public let problem: JSON

    /// How often it was refused, with this time: 1, 2, 3, …
    public let attempt: Int

    /// Makes a refused change, as a test of a policy does.
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

/// What a policy says of a refused change.
public enum RefusalVerdict: Hashable, Sendable {
    /// It is held with the server's problem, until it is edited, released or resigned.
    case leave

    /// It is held, and the app is told that a person has to decide.
    case ask

    /// It is given up (R19–R21) and goes to the journal, with the reason `rejected`.
    case resign

    /// It is sent again with the next sync, and the sync says when that is worthwhile.
    case retry
}

extension FailurePolicies {
    /// Keeps what was refused, and shows why.
    public struct LeaveHeld: RefusalPolicy {
        /// Makes the policy.
        public init() {}

        /// Leaves it.
        public func decide(_ refusal: RefusedChange) -> RefusalVerdict { .leave }
    }

    /// Keeps what was refused for a person to decide.
    public struct AskAboutRefusal: RefusalPolicy {
        /// Makes the policy.
        public init() {}

        /// Asks.
        public func decide(_ refusal: RefusedChange) -> RefusalVerdict { .ask }
    }

    /// Gives up what was refused.
    public struct ResignRefused: RefusalPolicy {
        /// Makes the policy.
        public init() {}

        /// Resigns.
        public func decide(_ refusal: RefusedChange) -> RefusalVerdict { .resign }
    }

    /// Sends what was refused again, some times, and then leaves it held.
    public struct RetryRefused: RefusalPolicy {
        /// How often the server may refuse it: 1 leaves it at the first refusal.
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
    /// Keeps what was refused, and shows why.
    public static var leave: FailurePolicies.LeaveHeld { FailurePolicies.LeaveHeld() }
}

extension RefusalPolicy where Self == FailurePolicies.AskAboutRefusal {
    /// Keeps what was refused for a person to decide.
    public static var ask: FailurePolicies.AskAboutRefusal { FailurePolicies.AskAboutRefusal() }
}

extension RefusalPolicy where Self == FailurePolicies.ResignRefused {
    /// Gives up what was refused.
    public static var resign: FailurePolicies.ResignRefused { FailurePolicies.ResignRefused() }
}

extension RefusalPolicy where Self == FailurePolicies.RetryRefused {
    /// Sends what was refused again, some times, and then leaves it held.
    public static func retry(tries: Int) -> FailurePolicies.RetryRefused { FailurePolicies.RetryRefused(tries: tries) }
}

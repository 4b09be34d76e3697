/// What becomes of an exchange that failed as a whole (SPEC §3.5).
///
/// **Choose.** Each class of failure has its own policy; ``FailurePolicies`` has the defaults. `.retry` waits and tries again; `.pause`
/// waits for the app; `.retryThenPause(tries: 5)` does one and then the other.
///
/// **Use an existing one.**
///
/// ```swift
/// configuration.policies.offline = .retryThenPause(tries: 5)
/// configuration.policies.historyLost = .pause          // a full resync only when the app says so
/// ```
///
/// **Write your own.** A policy is a value with one function. It must be pure: no clock, no network, no store. It
/// chooses what happens next and never what is kept: nothing is dropped by a failure, and the outcome of a POST stays
/// unknown (R17).
///
/// ```swift
/// struct PatientWithMaintenance: FailurePolicy {
///     func decide(_ failure: FailedExchange) -> FailureVerdict {
///         failure.cause.message.contains("maintenance") ? .retry(after: .seconds(600)) : .retry()
///     }
/// }
/// ```
///
/// **Test it.** Make a ``FailedExchange`` and call ``decide(_:)``; no client is needed.
public protocol FailurePolicy: Sendable {
    /// Says what happens next.
    func decide(_ failure: FailedExchange) -> FailureVerdict
}

/// An exchange that brought no answer that counts.
public struct FailedExchange: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// What failed, and its class.
    public let cause: RemoteFailure

    /// How many tries failed in a row, with this one: 1, 2, 3, …
    public let attempt: Int

    /// Makes a failed exchange, as a test of a policy does.
    public init(collection: String, cause: RemoteFailure, attempt: Int = 1) {
        self.collection = collection
        self.cause = cause
        self.attempt = attempt
    }
}

/// What a policy says of an exchange that failed.
public enum FailureVerdict: Hashable, Sendable {
    /// Try again. Where history was lost that is a full resync (SPEC §6), which begins at once.
    ///
    /// - Parameter after: The wait; nil for what the server asked for, and else for ``SyncConfiguration/retry``.
    case retry(after: Duration? = nil)

    /// Send and ask nothing more until the app renews or resumes; see ``SyncClient/resume()``.
    case pause
}

extension FailurePolicies {
    /// Waits and tries again.
    public struct RetryExchange: FailurePolicy {
        /// Makes the policy.
        public init() {}

        /// Tries again.
        public func decide(_ failure: FailedExchange) -> FailureVerdict { .retry() }
    }

    /// Waits for the app.
    public struct PauseExchange: FailurePolicy {
        /// Makes the policy.
        public init() {}

        /// Pauses.
        public func decide(_ failure: FailedExchange) -> FailureVerdict { .pause }
    }

    /// Tries again some times, and then waits for the app.
    public struct RetryThenPause: FailurePolicy {
        /// How many tries may fail in a row: 1 pauses at the first failure.
        public var tries: Int

        /// Makes the policy.
        public init(tries: Int) {
            self.tries = tries
        }

        /// Tries again while there are tries left.
        public func decide(_ failure: FailedExchange) -> FailureVerdict {
            failure.attempt < self.tries ? .retry() : .pause
        }
    }
}

extension FailurePolicy where Self == FailurePolicies.RetryExchange {
    /// Waits and tries again.
    public static var retry: FailurePolicies.RetryExchange { FailurePolicies.RetryExchange() }
}

extension FailurePolicy where Self == FailurePolicies.PauseExchange {
    /// Waits for the app.
    public static var pause: FailurePolicies.PauseExchange { FailurePolicies.PauseExchange() }
}

extension FailurePolicy where Self == FailurePolicies.RetryThenPause {
    /// Tries again some times, and then waits for the app.
    public static func retryThenPause(tries: Int) -> FailurePolicies.RetryThenPause {
        FailurePolicies.RetryThenPause(tries: tries)
    }
}

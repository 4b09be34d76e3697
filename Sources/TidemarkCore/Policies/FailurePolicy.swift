/// Decides what happens after an exchange failed as a whole (Contract §3.5).
///
/// **Choose.** Each class of failure has its own policy; ``FailurePolicies`` has the defaults. `.retry` waits and tries again;
/// `.pause` waits for the app; `.retryThenPause(tries: 5)` retries and then pauses.
///
/// **Use an existing one.**
///
/// ```swift
/// configuration.policies.offline = .retryThenPause(tries: 5)
/// configuration.policies.historyLost = .pause          // a full resync only when the app resumes
/// ```
///
/// **Write your own.** A policy is a value with one function. It must be pure: no clock, no network, no store. It chooses what
/// happens next and never which data is kept: a failure drops no change, and the outcome of a POST stays unknown (R17).
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
    /// Returns what happens next.
    func decide(_ failure: FailedExchange) -> FailureVerdict
}

/// An exchange without a valid answer.
public struct FailedExchange: Hashable, Sendable {
    /// The name of the collection.
    public let collection: String

    /// The failure, and its class.
    public let cause: RemoteFailure

    /// The number of failed tries in a row, including this one: 1, 2, 3, …
    public let attempt: Int

    /// Makes a failed exchange, for a test of a policy.
    public init(collection: String, cause: RemoteFailure, attempt: Int = 1) {
        self.collection = collection
        self.cause = cause
        self.attempt = attempt
    }
}

/// The decision of a policy about an exchange that failed.
public enum FailureVerdict: Hashable, Sendable {
    /// Try again. After a lost history that is a full resync (Contract §6), which begins at once.
    ///
    /// - Parameter after: The wait; nil for the time that the server asked for, or else for ``SyncConfiguration/retry``.
    case retry(after: Duration? = nil)

    /// Send no more requests until the app renews or resumes; see ``SyncClient/resume()``.
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

    /// Retries a number of times, and then waits for the app.
    public struct RetryThenPause: FailurePolicy {
        /// The maximum number of failed tries in a row: 1 pauses at the first failure.
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
    /// Retries a number of times, and then waits for the app.
    public static func retryThenPause(tries: Int) -> FailurePolicies.RetryThenPause {
        FailurePolicies.RetryThenPause(tries: tries)
    }
}

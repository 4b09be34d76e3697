/// The back-off of a client after a temporary failure (Contract §3.5).
///
/// **Use an existing one.** ``Backoff``.
///
/// **Write your own.** A value with one function; take random numbers from the given generator, so that a test with a seed gets
/// the same waits each time.
public protocol RetryPolicy: Sendable {
    /// Returns the wait before the next try.
    ///
    /// - Parameters:
    ///   - attempt: The number of failed tries in a row: 1, 2, 3, …
    ///   - generator: The source of random numbers.
    func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration
}

/// Exponential back-off with full jitter: a random part of an interval that doubles with each failure.
public struct Backoff: RetryPolicy {
    /// The first interval.
    public var first: Duration

    /// The longest interval.
    public var longest: Duration

    /// Makes the policy: 1 s, doubling to 300 s.
    public init(first: Duration = .seconds(1), longest: Duration = .seconds(300)) {
        self.first = first
        self.longest = longest
    }

    /// Returns a random part of the attempt's interval.
    public func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(attempt, 1) - 1, 20)
        let span = min(self.first * (1 << doublings), self.longest)
        return span * Double.random(in: 0...1, using: &generator)
    }
}

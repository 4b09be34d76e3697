/// How long a client waits after a failure that passes (SPEC §3.5).
///
/// **Use an existing one.** ``Backoff``.
///
/// **Write your own.** A value with one function; take chance from the generator that is handed in, so that a test with
/// a seed sees the same waits each time.
public protocol RetryPolicy: Sendable {
    /// The wait before the next try.
    ///
    /// - Parameters:
    ///   - attempt: How many tries failed in a row: 1, 2, 3, …
    ///   - generator: Where chance comes from.
    func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration
}

/// Exponential backoff with full jitter: a random part of a span that doubles with each failure.
public struct Backoff: RetryPolicy {
    /// The first span.
    public var first: Duration

    /// The longest span.
    public var longest: Duration

    /// Makes the policy: 1 s, doubling to 300 s.
    public init(first: Duration = .seconds(1), longest: Duration = .seconds(300)) {
        self.first = first
        self.longest = longest
    }

    /// A random part of the attempt's span.
    public func delay(attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(max(attempt, 1) - 1, 20)
        let span = min(self.first * (1 << doublings), self.longest)
        return span * Double.random(in: 0...1, using: &generator)
    }
}

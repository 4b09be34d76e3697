/// What a test waited for did not happen in time.
///
/// The time is that of the real clock: it only ends a test that would otherwise never end, so it is longer than a test takes on a slow
/// machine.
public struct TestDeadlineError: Error, CustomStringConvertible {
    /// How long ``HeldNetwork/next(within:)`` and its like wait, unless the test says otherwise.
    public static let usualLimit = Duration.seconds(10)

    /// What did not happen, and what was seen instead.
    public let description: String
}

/// Runs what waits, and ends it after a time of the real clock.
///
/// - Parameters:
///   - limit: How long it may take.
///   - expected: What does not happen then, for the error.
///   - seen: What there is instead, for the error.
///   - body: What waits; it returns nil, or throws, when its task is cancelled.
/// - Throws: ``TestDeadlineError`` after that time, `CancellationError` to a task that was cancelled, and what the body throws.
func withDeadline<Value: Sendable>(
    _ limit: Duration, for expected: String, seen: @Sendable () async -> String,
    _ body: @escaping @Sendable () async throws -> Value?
) async throws -> Value {
    let value = try await withThrowingTaskGroup(of: Value?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        return try await group.next() ?? nil
    }
    if let value { return value }
    try Task.checkCancellation()
    throw TestDeadlineError(description: "\(expected) within \(limit). \(await seen())")
}

/// An event that a test waited for did not happen in time.
///
/// The time is that of the real clock: it only ends a test that would otherwise never end, so it is longer than a test takes on
/// a slow machine.
public struct TestDeadlineError: Error, CustomStringConvertible {
    /// The default time limit of ``PausedNetwork/next(within:)`` and similar calls.
    public static let usualLimit = Duration.seconds(60)

    /// The missing event, and the state at the deadline.
    public let description: String
}

/// Runs a waiting body, and ends it after a time of the real clock.
///
/// - Parameters:
///   - limit: The time limit.
///   - expected: The event that did not happen, for the error.
///   - seen: The state at the deadline, for the error.
///   - body: Waits for the event; it returns nil, or throws, if its task is cancelled.
/// - Throws: ``TestDeadlineError`` after that time, `CancellationError` if the task was cancelled, and errors of the body.
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

import Foundation
public import Testing

/// The longest time that a test waits for a condition. It is long enough for a busy machine, and short enough that the log
/// names the condition before the whole run times out.
public let timeout = Duration.seconds(60)

/// Waits until a condition holds. If it does not hold after ``timeout``, records an issue with the last state seen.
///
/// - Parameters:
///   - what: The condition, as a sentence.
///   - isSo: Whether the condition holds; called repeatedly, while other tasks continue.
///   - seeing: The state to show in the message.
public func eventually(
    _ what: String, at place: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool,
    seeing: () async throws -> String
) async rethrows {
    let end = ContinuousClock.now + timeout
    while try await !isSo() {
        guard ContinuousClock.now < end, !Task.isCancelled else {
            complain(what, try await seeing(), place)
            return
        }
        await Task.yield()
    }
}

/// Waits until a condition holds; the message has no state.
public func eventually(
    _ what: String, at place: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async rethrows {
    try await eventually(what, at: place, isSo, seeing: { "" })
}

private func complain(_ what: String, _ seen: String, _ place: SourceLocation) {
    Issue.record("waited in vain: \(what)\(seen.isEmpty ? "" : "; seen at last: \(seen)")", sourceLocation: place)
}

/// Waits as the function above, without suspending: for an effect of another thread or process.
public func blockUntil(
    _ what: String, at place: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool,
    seeing: () throws -> String
) rethrows {
    let end = ContinuousClock.now + timeout
    while try !isSo() {
        guard ContinuousClock.now < end else {
            complain(what, try seeing(), place)
            return
        }
        sched_yield()
    }
}

/// Waits until a condition holds; the message has no state.
public func blockUntil(
    _ what: String, at place: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool
) rethrows {
    try blockUntil(what, at: place, isSo, seeing: { "" })
}

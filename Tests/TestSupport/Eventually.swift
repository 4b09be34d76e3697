import Foundation
public import Testing

/// How long a test waits for what has to come. It is long enough for a machine that does much besides, and short enough to read
/// in a log what was waited for.
public let patience = Duration.seconds(60)

/// Waits until something is so. Where it is not after ``patience``, that is an issue, which says what was seen at last.
///
/// - Parameters:
///   - what: What is waited for, as a sentence.
///   - isSo: Whether it is so; asked again and again, while others go on.
///   - seeing: What there is to see, for the message.
public func eventually(
    _ what: String, at place: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool,
    seeing: () async throws -> String
) async rethrows {
    let end = ContinuousClock.now + patience
    while try await !isSo() {
        guard ContinuousClock.now < end, !Task.isCancelled else {
            complain(what, try await seeing(), place)
            return
        }
        await Task.yield()
    }
}

/// The same, where there is nothing to see.
public func eventually(
    _ what: String, at place: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async rethrows {
    try await eventually(what, at: place, isSo, seeing: { "" })
}

private func complain(_ what: String, _ seen: String, _ place: SourceLocation) {
    Issue.record("waited in vain: \(what)\(seen.isEmpty ? "" : "; seen at last: \(seen)")", sourceLocation: place)
}

/// The same without suspending: for what another thread or process does.
public func blockUntil(
    _ what: String, at place: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool,
    seeing: () throws -> String
) rethrows {
    let end = ContinuousClock.now + patience
    while try !isSo() {
        guard ContinuousClock.now < end else {
            complain(what, try seeing(), place)
            return
        }
        sched_yield()
    }
}

/// The same, where there is nothing to see.
public func blockUntil(
    _ what: String, at place: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool
) rethrows {
    try blockUntil(what, at: place, isSo, seeing: { "" })
}

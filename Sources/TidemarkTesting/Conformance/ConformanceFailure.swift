/// The error of a conformance check if an implementation violates the contract of its port.
public struct ConformanceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The subject of the comparison.
    public var subject: String

    /// The value that the contract requires, as text.
    public var expected: String

    /// The value of the implementation, as text.
    public var found: String

    /// Makes a failure.
    public init(_ subject: String, expected: String, found: String) {
        self.subject = subject
        self.expected = expected
        self.found = found
    }

    /// The whole message.
    public var description: String {
        "\(self.subject): expected \(self.expected), found \(self.found)"
    }
}

extension ConformanceFailure {
    /// A failure with values as text.
    init(_ subject: String, expected: Any, found: Any) {
        self.init(
            subject, expected: ConformanceWords.text(of: expected).cutForEvidence,
            found: ConformanceWords.text(of: found).cutForEvidence)
    }
}

/// The error of a check that does not apply.
struct ConformanceSkip: Error {
    /// The reason, as a sentence.
    let why: String
}

/// Throws a ``ConformanceFailure`` unless both are equal.
func expect<Value: Equatable>(
    _ subject: String, _ found: Value, is expected: Value
) throws(ConformanceFailure) {
    guard found == expected else { throw ConformanceFailure(subject, expected: expected, found: found) }
}

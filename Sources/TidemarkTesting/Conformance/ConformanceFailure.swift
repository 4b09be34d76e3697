/// What a conformance check throws when an implementation does not do what its port asks for.
public struct ConformanceFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was looked at.
    public var subject: String

    /// What the port asks for, printed.
    public var expected: String

    /// What the implementation did, printed.
    public var found: String

    /// Makes a failure.
    public init(_ subject: String, expected: String, found: String) {
        self.subject = subject
        self.expected = expected
        self.found = found
    }

    /// All of it, for a person.
    public var description: String {
        "\(self.subject): expected \(self.expected), found \(self.found)"
    }
}

/// What a check throws where there is nothing to check.
struct ConformanceSkip: Error {
    /// Why, for a person.
    let why: String
}

/// Throws a ``ConformanceFailure`` unless both are equal.
func expect<Value: Equatable>(
    _ subject: String, _ found: Value, is expected: Value
) throws(ConformanceFailure) {
    guard found == expected else {
        throw ConformanceFailure(
            subject, expected: "\(expected)".cutForEvidence, found: "\(found)".cutForEvidence)
    }
}

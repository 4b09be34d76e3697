/// What came of one check over a server that is in use, with what was seen.
public struct ConformanceReport: Sendable {
    /// What came of a check.
    public enum Outcome: Hashable, Sendable {
        /// The server did what it must.
        case kept

        /// It did not; in words.
        case broken(String)

        /// There is nothing to check: the server has none of it, and need not; in words.
        case skipped(String)

        /// The check did not come to its end: the server could not be reached, was busy, or does not let us in, or the
        /// time of the run was over.
        case unchecked(String)
    }

    /// The sentence that says what is checked.
    public var check: String

    /// The rules of SPEC §5 that it looks at.
    public var rules: [String]

    /// What came of it.
    public var outcome: Outcome

    /// Each request with what was answered, a line each, in their order: the last 100, and how many came before.
    public var evidence: [String]
}

/// The result of one check over a server in use, with its evidence.
public struct ConformanceReport: Sendable {
    /// The outcome of a check.
    public enum Outcome: Hashable, Sendable {
        /// The server keeps the contract.
        case kept

        /// The server violates the contract; the text explains how.
        case broken(String)

        /// The check does not apply: the server lacks an optional feature; the text explains which.
        case skipped(String)

        /// The check did not finish: the server was unreachable or busy, or refused access, or the time of the run was over.
        case unchecked(String)
    }

    /// The name of the check, a sentence.
    public var check: String

    /// The rules of Contract §5 that it checks.
    public var rules: [String]

    /// The outcome.
    public var outcome: Outcome

    /// Each request with its answer, one on a line, in order: the last 100, and the number of earlier ones.
    public var evidence: [String]

    /// The last requests with their answers, if the rule is broken and the server uses the wire of Contract §5.
    package var exchanges: [ConformanceExchange] = []
}

public import TidemarkMachine

/// Why a record is not in step, and what happens next, in words.
public struct RecordExplanation: Hashable, Sendable {
    /// The record.
    public let pk: String

    /// Where it stands.
    public let phase: RecordPhase

    /// Why it stands there.
    public let why: String

    /// What happens next, and who has to act.
    public let next: String

    /// When another try is worthwhile, counted from 1970-01-01T00:00:00Z; nil when nothing has to be waited out.
    public let nextTry: Duration?

    /// What the last merge of the record did, path by path; nil when it was never merged.
    public let lastMerge: MergeSummary?
}

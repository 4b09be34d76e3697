/// An answer that was given once and will be given again (SPEC W4).
///
/// What it keeps is bounded, whatever the record and the edit are (SPEC §3.7): a large row is kept by its version only,
/// and a large edit by its digest.
public struct RememberedAnswer: Sendable, Hashable {
    /// What a repetition is told from another edit of the same id by.
    public enum Edit: Sendable, Hashable {
        /// The edit as compact JSON.
        case whole([UInt8])
        /// The digest of what the edit means.
        case digest(String)
    }

    /// What is answered again.
    public enum Result: Sendable, Hashable {
        /// The whole RESULT.
        case whole([UInt8])
        /// A RESULT that brought the record at a version, too large to be kept here as well.
        case row(version: Int64, isConflicted: Bool)
    }

    /// The id the client gave to the edit.
    public var requestID: String
    /// The edit.
    public var edit: Edit
    /// The answer.
    public var result: Result

    /// An answer from its parts.
    public init(requestID: String, edit: Edit, result: Result) {
        self.requestID = requestID
        self.edit = edit
        self.result = result
    }
}

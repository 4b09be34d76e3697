/// An answer that is kept, to answer a repetition of its edit (W4).
///
/// Its size is bounded for any record and edit (Contract §3.7): of a large row only the version is kept, of a large edit only its
/// digest.
public struct RememberedAnswer: Sendable, Hashable {
    /// Distinguishes a repetition from another edit with the same id.
    public enum Edit: Sendable, Hashable {
        /// The edit as compact JSON.
        case whole([UInt8])
        /// The digest of the JSON value of the edit.
        case digest(String)
    }

    /// The kept result.
    public enum Result: Sendable, Hashable {
        /// The whole RESULT.
        case whole([UInt8])
        /// A RESULT with the record at a version; the record is too large to be kept here as well.
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

extension JSONMerge {
    /// Decides one field that both sides changed. It treats an object as one value.
    ///
    /// A field rule (Contract §4) is such a function. It is pure: the same sides give the same outcome.
    ///
    /// ```swift
    /// let smaller: JSONMerge.FieldDecision = { sides in
    ///     guard let server = sides.server?.number, let client = sides.client?.number else { return .client }
    ///     return client < server ? .client : .server
    /// }
    /// ```
    public typealias FieldDecision = (Sides) -> FieldOutcome

    /// The three values of a record, or of a field that both sides changed. A side of nil has no value; `.null` is a value.
    public struct Sides: Sendable, Hashable {
        /// The path of the field in the record; the root for the record.
        public let path: JSONPointer

        /// The value that both sides started from.
        public let base: JSON?

        /// The server's present value.
        public let server: JSON?

        /// The client's present value.
        public let client: JSON?

        /// Makes the sides of a record or of a field, for example to test a decision without a merge.
        public init(path: JSONPointer = .root, base: JSON? = nil, server: JSON? = nil, client: JSON? = nil) {
            self.path = path
            self.base = base
            self.server = server
            self.client = client
        }
    }
}

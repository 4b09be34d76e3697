public import TidemarkJSON

extension FieldRules {
    /// The side stands whose record is later by another field, a number or a timestamp text of one format; a tie goes to
    /// the client. The value that loses is listed.
    ///
    /// ```swift
    /// let rules = try FieldRules([("/body", .latest(by: "/typed_at"))])
    /// ```
    public struct Latest: FieldRule {
        /// Where the time is, from the record's root, as it was written.
        public let text: String

        /// Where the time is; nil when the text is no JSON pointer, which ``FieldRules`` refuse.
        package let pointer: JSONPointer?

        /// Makes the rule from a JSON pointer that starts at the record's root, such as `"/typed_at"`.
        public init(by text: String) {
            self.text = text
            self.pointer = try? JSONPointer(parsing: text)
        }

        /// Refuses a text that is no JSON pointer.
        public func check() throws(TidemarkError) {
            guard self.pointer != nil else {
                throw TidemarkError(
                    .invalidName, "“\(self.text)” is no JSON pointer from the record's root. Write it as “/typed_at”.")
            }
        }

        /// The value of the later side; without the record no side is later.
        public func decide(_ field: FieldConflict) -> FieldOutcome {
            guard let pointer = self.pointer, let server = Rank(field.record.server?[pointer: pointer]),
                let client = Rank(field.record.client?[pointer: pointer]),
                let isServers = client.isSmaller(than: server)
            else { return .client }
            return isServers ? .server : .client
        }
    }
}

extension FieldRule where Self == FieldRules.Latest {
    /// The side stands whose record is later by another field; a tie goes to the client.
    ///
    /// - Parameter pointer: Where the time is, from the record's root, such as `"/typed_at"`.
    public static func latest(by pointer: String) -> FieldRules.Latest { FieldRules.Latest(by: pointer) }
}

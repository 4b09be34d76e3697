public import TidemarkJSON

extension FieldRules {
    /// The side wins whose record is later by another field, a number or a timestamp of one format; if both are equal, the
    /// client wins. The value that loses is listed.
    ///
    /// ```swift
    /// let rules = try FieldRules([("/body", .latest(by: "/typed_at"))])
    /// ```
    public struct Latest: FieldRule {
        /// The path of the time, from the record's root, as it was written.
        public let text: String

        /// The path of the time; nil when the text is not a JSON pointer, which ``FieldRules`` refuse.
        package let pointer: JSONPointer?

        /// Makes the rule from a JSON pointer that starts at the record's root, such as `"/typed_at"`.
        public init(by text: String) {
            self.text = text
            self.pointer = try? JSONPointer(parsing: text)
        }

        /// Refuses a text that is not a JSON pointer.
        public func check() throws(TidemarkError) {
            guard self.pointer != nil else {
                throw TidemarkError(
                    .invalidName,
                    "“\(self.text)” is not a JSON pointer from the record's root. Write it as “/typed_at”.")
            }
        }

        /// Returns the value of the later side; without the record no side is later.
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
    /// The side wins whose record is later by another field; if both are equal, the client wins.
    ///
    /// - Parameter pointer: The path of the time, from the record's root, such as `"/typed_at"`.
    public static func latest(by pointer: String) -> FieldRules.Latest { FieldRules.Latest(by: pointer) }
}

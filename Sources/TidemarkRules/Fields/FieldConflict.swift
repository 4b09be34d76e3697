public import TidemarkJSON

/// A field that both sides changed, and the record that it is part of: what a ``FieldRule`` decides about.
///
/// A value, so that a rule can be tested without a client:
///
/// ```swift
/// let conflict = FieldConflict(at: .root.appending("n"), base: 5, server: 8, client: 6)
/// #expect(FieldRules.Sum().decide(conflict) == .value(9, lost: false))
/// ```
///
/// A side without a value is nil, and `null` is a value.
public struct FieldConflict: Sendable {
    /// Where the field is in the record.
    public let path: JSONPointer

    /// The value both sides started from.
    public let base: JSON?

    /// The value the server has now.
    public let server: JSON?

    /// The value the client has now.
    public let client: JSON?

    /// The record that the field is part of.
    public let record: RecordSides

    /// Makes the conflict of a field, for example to test a rule without a merge.
    public init(
        at path: JSONPointer, base: JSON?, server: JSON?, client: JSON?, in record: RecordSides = RecordSides()
    ) {
        self.path = path
        self.base = base
        self.server = server
        self.client = client
        self.record = record
    }

    /// A field of a record, as a merge comes upon it.
    init(_ sides: JSONMerge.FieldSides, in record: RecordSides) {
        self.init(at: sides.path, base: sides.base, server: sides.server, client: sides.client, in: record)
    }
}

extension FieldConflict {
    /// The record that a field is part of, as both sides started from it and as each has it now.
    public struct RecordSides: Sendable {
        /// The record both sides started from.
        public let base: JSON?

        /// The record the server has now.
        public let server: JSON?

        /// The record the client has now.
        public let client: JSON?

        /// The rules of the record, for a rule that merges what lies inside of its field.
        public let rules: FieldRules

        /// Makes the sides of a record, for example to test a rule without a merge.
        public init(base: JSON? = nil, server: JSON? = nil, client: JSON? = nil, rules: FieldRules = FieldRules()) {
            self.base = base
            self.server = server
            self.client = client
            self.rules = rules
        }
    }
}

public import TidemarkJSON

/// A field that both sides changed, and its record: the input of a ``FieldRule``.
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
    /// The path of the field in the record.
    public let path: JSONPointer

    /// The value that both sides started from.
    public let base: JSON?

    /// The server's present value.
    public let server: JSON?

    /// The client's present value.
    public let client: JSON?

    /// The record that contains the field.
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

    /// Converts a field of a merge.
    init(_ sides: JSONMerge.FieldSides, in record: RecordSides) {
        self.init(at: sides.path, base: sides.base, server: sides.server, client: sides.client, in: record)
    }
}

extension FieldConflict {
    /// The record that contains a field: the common base, and the present record of each side.
    public struct RecordSides: Sendable {
        /// The record that both sides started from.
        public let base: JSON?

        /// The server's present record.
        public let server: JSON?

        /// The client's present record.
        public let client: JSON?

        /// The rules of the record, for a rule that merges the values inside its field.
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

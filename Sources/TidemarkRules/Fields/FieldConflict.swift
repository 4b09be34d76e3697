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
    /// The field: its path, and its three values.
    public let sides: JSONMerge.Sides

    /// The record that contains the field: the common base, and the present record of each side.
    public let record: JSONMerge.Sides

    /// The rules of the record, for a rule that merges the values inside its field.
    public let rules: FieldRules

    /// Makes the conflict of a field.
    init(_ sides: JSONMerge.Sides, in record: JSONMerge.Sides, by rules: FieldRules) {
        self.sides = sides
        self.record = record
        self.rules = rules
    }

    /// Makes the conflict of a field, for example to test a rule without a merge.
    public init(
        at path: JSONPointer, base: JSON?, server: JSON?, client: JSON?,
        in record: JSONMerge.Sides = JSONMerge.Sides(), by rules: FieldRules = FieldRules()
    ) {
        self.init(JSONMerge.Sides(path: path, base: base, server: server, client: client), in: record, by: rules)
    }

    /// The path of the field in the record.
    public var path: JSONPointer { self.sides.path }

    /// The value that both sides started from.
    public var base: JSON? { self.sides.base }

    /// The server's present value.
    public var server: JSON? { self.sides.server }

    /// The client's present value.
    public var client: JSON? { self.sides.client }
}

/// The rules for conflicts of one collection.
public struct CollectionRules: Sendable {
    /// The tactic for conflicts of a record.
    public var tactic: any Tactic

    /// The rules for fields that both sides changed.
    public var fields: FieldRules

    /// Makes rules; by default the tactic is auto-merge, and there are no rules for fields.
    public init(tactic: any Tactic = .autoMerge, fields: FieldRules = FieldRules()) {
        self.tactic = tactic
        self.fields = fields
    }
}

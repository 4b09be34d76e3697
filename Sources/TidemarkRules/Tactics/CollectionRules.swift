/// What decides the conflicts of one collection.
public struct CollectionRules: Sendable {
    /// What decides a conflict.
    public var tactic: any Tactic

    /// What decides a field that both sides changed.
    public var fields: FieldRules

    /// Makes rules: auto-merge, and no rules for fields.
    public init(tactic: any Tactic = .autoMerge, fields: FieldRules = FieldRules()) {
        self.tactic = tactic
        self.fields = fields
    }
}

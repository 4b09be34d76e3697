/// The rules of one collection: for conflicts, and which indexes it has.
public struct CollectionRules: Sendable {
    /// The tactic for conflicts of a record.
    public var tactic: any Tactic

    /// The rules for fields that both sides changed.
    public var fields: FieldRules

    /// The indexes, which make queries fast (``RecordQuery``). Each one costs time and space at each change of a record. A store
    /// that has another set is changed when the client is made: an index that is not here is dropped.
    public var indexes: [RecordIndex]

    /// Makes rules; by default the tactic is auto-merge, and there are no rules for fields and no indexes.
    public init(
        tactic: any Tactic = .autoMerge, fields: FieldRules = FieldRules(), indexes: [RecordIndex] = []
    ) {
        self.tactic = tactic
        self.fields = fields
        self.indexes = indexes
    }
}

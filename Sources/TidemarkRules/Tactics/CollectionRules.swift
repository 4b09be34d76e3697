import TidemarkJSON

/// The rules of one collection: for conflicts, which indexes it has, and which members name other records.
public struct CollectionRules: Sendable {
    /// The tactic for conflicts of a record.
    public var tactic: any Tactic

    /// The rules for fields that both sides changed.
    public var fields: FieldRules

    /// The indexes, which make queries fast (``RecordQuery``). Each one costs time and space at each change of a record. A store
    /// that has another set is changed when the client is made: an index that is not here is dropped.
    public var indexes: [RecordIndex]

    /// The members that have the pk of another record, with its collection. A record is created on the server after the records that
    /// it names, and deleted after the records that named it (Contract §11). One step of a pointer may be `*`, for each element of an
    /// array. Each pointer is an index, too.
    ///
    /// ```swift
    /// configuration["todos"].references = ["/list": "lists", "/tags/*": "tags"]
    /// ```
    public var references: [String: String]

    /// Makes rules; by default the tactic is auto-merge, and there are no rules for fields, no indexes and no references.
    public init(
        tactic: any Tactic = .autoMerge, fields: FieldRules = FieldRules(), indexes: [RecordIndex] = [],
        references: [String: String] = [:]
    ) {
        self.tactic = tactic
        self.fields = fields
        self.indexes = indexes
        self.references = references
    }
}

extension CollectionRules {
    /// All indexes: those that are named, and one for each reference.
    package var allIndexes: [RecordIndex] {
        let implied = Self.pointers(of: self.references).map { RecordIndex([$0]) }
        return self.indexes + implied.filter { !self.indexes.contains($0) }
    }

    /// The pointers of references in one order.
    static func pointers(of references: [String: String]) -> [String] {
        references.keys.sorted { CodePointString($0) < CodePointString($1) }
    }
}

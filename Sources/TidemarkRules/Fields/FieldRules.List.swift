public import TidemarkJSON

extension FieldRules {
    /// Arrays as sequences, merged three-way: all insertions are kept, elements that a side removed are removed, the order is
    /// kept.
    ///
    /// A changed element counts as one removed and one inserted. If both sides insert at the same place, both insertions are
    /// kept, the server's first; equal insertions are kept once. A missing base counts as the empty array.
    public struct List: FieldRule {
        /// How many elements a side may have inserted and removed, by default.
        public static let defaultEdits = 2_000

        /// How many elements a side may have inserted and removed; beyond it the rule does not fit.
        public let edits: Int

        /// Makes the rule.
        public init(edits: Int = List.defaultEdits) {
            self.edits = edits
        }

        /// An insertion is applied on top of the server's array.
        public var isIncremental: Bool { true }

        /// The merged array.
        public func decide(_ field: FieldConflict) -> FieldOutcome {
            guard let base = (field.base ?? []).array, let server = field.server?.array,
                let client = field.client?.array,
                let theirs = EditScript(from: base, to: server, limit: self.edits),
                let ours = EditScript(from: base, to: client, limit: self.edits)
            else { return .client }
            let (theirGaps, ourGaps) = (theirs.insertions(from: server), ours.insertions(from: client))
            let gone = theirs.removals.union(ours.removals)
            var merged: [JSON] = []
            // Consecutive places without a kept element between them are one place.
            var (fromServer, fromClient): ([JSON], [JSON]) = ([], [])
            for place in 0...base.count {
                fromServer += theirGaps[place] ?? []
                fromClient += ourGaps[place] ?? []
                guard !gone.contains(place) else { continue }
                merged += Insertions.both(fromServer[...], fromClient[...])
                (fromServer, fromClient) = ([], [])
                if place < base.count { merged.append(base[place]) }
            }
            return .value(.array(merged), lost: false)
        }
    }
}

extension FieldRule where Self == FieldRules.List {
    /// Arrays as sequences: all insertions are kept, elements that a side removed are removed, the order is kept.
    public static var list: FieldRules.List { FieldRules.List() }
}

public import TidemarkJSON

extension FieldRules {
    /// Arrays as sequences, merged three-way: every insertion is in, what a side removed is out, the order is kept.
    ///
    /// An element that a side changed is one removed and one inserted. Both insertions at one place are kept, the server's
    /// first; what both inserted alike is there once. Where the base has nothing, the empty array stands in for it.
    public struct List: FieldRule {
        /// How many elements a side may have inserted and removed, unless the app says otherwise.
        public static let defaultEdits = 2_000

        /// How many elements a side may have inserted and removed; beyond it the rule does not fit.
        public let edits: Int

        /// Makes the rule.
        public init(edits: Int = List.defaultEdits) {
            self.edits = edits
        }

        /// An insertion goes into what is there.
        public var buildsUpon: Bool { true }

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
            // Places between which all is gone are one place.
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
    /// Arrays as sequences: every insertion is in, what a side removed is out, the order is kept.
    public static var list: FieldRules.List { FieldRules.List() }
}

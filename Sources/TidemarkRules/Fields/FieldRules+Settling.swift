package import TidemarkJSON

// How a decision changes a conflict (Contract §4, *Two meanings of "take"*).

extension FieldRules {
    /// Returns the merged record, with each open clash settled for one side.
    ///
    /// - Returns: The record; nil if one side is a deletion, so that there is nothing to merge.
    package func settling(_ conflict: RecordConflict, for side: Verdict.Side) -> JSON? {
        self.settling(conflict.asked, of: conflict) { _ in side }
    }

    /// Returns the merged record of any merge, with each of its clashes settled for one side; nil if one side is a deletion.
    package func settling(_ merge: JSONMerge, for side: Verdict.Side) -> JSON? {
        merge.merged.flatMap { self.settling(merge.clashes, in: $0) { _ in side } }
    }

    /// Returns the merged record, with each of these clashes settled for one side.
    ///
    /// - Returns: The record; nil if one side is a deletion, or if a clash has no side.
    func settling(
        _ clashes: [JSONMerge.Clash], of conflict: RecordConflict, _ side: (JSONMerge.Clash) -> Verdict.Side?
    ) -> JSON? {
        conflict.merged.flatMap { self.settling(clashes, in: $0, side) }
    }

    private func settling(
        _ clashes: [JSONMerge.Clash], in merged: JSON, _ side: (JSONMerge.Clash) -> Verdict.Side?
    ) -> JSON? {
        var record = merged
        for clash in clashes {
            guard let side = side(clash) else { return nil }
            let value =
                switch side {
                case .server: clash.server
                case .client: clash.client
                }
            let settled = self.ordered(clash, like: value, in: record) ?? value
            record = self.setting(clash.path, to: settled, in: record) ?? record
        }
        return record
    }

    /// For a clash about the order of an array of objects: the merged objects, in the order of one side.
    private func ordered(_ clash: JSONMerge.Clash, like value: JSON?, in record: JSON) -> JSON? {
        guard let key = self.rule(at: clash.path)?.keyedBy,
            [clash.base ?? [], clash.server, clash.client].allSatisfy({ KeyedElements($0, by: key) != nil })
        else { return nil }
        return KeyedElements(self.value(at: clash.path, in: record), by: key)?
            .ordered(like: KeyedElements(value, by: key))
    }
}

extension KeyedElements {
    /// Returns the array in the order of another one; an object that the other lacks follows the object it followed before.
    fileprivate func ordered(like other: KeyedElements?) -> JSON? {
        guard let other else { return nil }
        let present = Set(self.keys)
        let order = KeyedOrder(base: self.keys, server: other.keys, client: self.keys) { present.contains($0) }
        let names = KeyedNames(self.keys + other.keys)
        let members = self.object(names).object ?? [:]
        return .array(order.keys.compactMap { members[names.name(of: $0)] })
    }
}

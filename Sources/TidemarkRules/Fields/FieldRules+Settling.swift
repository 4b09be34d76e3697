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
    ///
    /// - Parameter record: The record of that side. An element of an array that is merged by key has the place that it has there.
    package func settling(_ merge: JSONMerge, for side: Verdict.Side, like record: JSON) -> JSON? {
        merge.merged.flatMap { self.settling(merge.clashes, in: $0, like: record) { _ in side } }
    }

    /// These rules without those of numbers that are added up.
    package var withoutAdditions: FieldRules {
        var rules = self
        rules.entries.removeAll { $0.rule.isAdditive }
        return rules
    }

    /// Returns the merged record, with each of these clashes settled for one side.
    ///
    /// - Returns: The record; nil if one side is a deletion, or if a clash has no side.
    package func settling(
        _ clashes: [JSONMerge.Clash], of conflict: RecordConflict, _ side: (JSONMerge.Clash) -> Verdict.Side?
    ) -> JSON? {
        conflict.merged.flatMap { self.settling(clashes, in: $0, like: conflict.server, side) }
    }

    private func settling(
        _ clashes: [JSONMerge.Clash], in merged: JSON, like other: JSON?, _ side: (JSONMerge.Clash) -> Verdict.Side?
    ) -> JSON? {
        var record = merged
        var mixed: Set<JSONPointer> = []
        for clash in clashes {
            guard let side = side(clash) else { return nil }
            let value =
                switch side {
                case .server: clash.server
                case .client: clash.client
                }
            let settled = self.ordered(clash, like: value, in: record) ?? value
            // An element that one side had removed is at the end of its array now.
            if let parent = clash.path.parent, settled != nil, self.rule(at: parent)?.keyedBy != nil,
                self.value(at: clash.path, in: record) == nil
            {
                mixed.insert(parent)
            }
            record = self.setting(clash.path, to: settled, in: record) ?? record
        }
        for path in mixed {
            guard let key = self.rule(at: path)?.keyedBy,
                let ordered = KeyedElements(self.value(at: path, in: record), by: key)?
                    .ordered(like: KeyedElements(self.value(at: path, in: other), by: key))
            else { continue }
            record = self.setting(path, to: ordered, in: record) ?? record
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

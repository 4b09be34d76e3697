import TidemarkJSON

// What an answer to a question makes of a conflict (SPEC §4, *Two meanings of "take"*).

extension FieldRules {
    /// The merged record, with each clash that is asked about settled for one side.
    ///
    /// - Returns: The record; nil where one side is a deletion, so that there is nothing to merge.
    func settling(_ conflict: RecordConflict, for side: Verdict.Side) -> JSON? {
        guard var record = conflict.merged else { return nil }
        for clash in conflict.asked {
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

    /// A clash about the order of an array of objects: its objects as they are merged, in the order of one side.
    private func ordered(_ clash: JSONClash, like value: JSON?, in record: JSON) -> JSON? {
        guard let rule = self.rule(at: clash.path) as? KeyedFieldRule,
            [clash.base ?? [], clash.server, clash.client].allSatisfy({ KeyedElements($0, by: rule.key) != nil })
        else { return nil }
        return rule.ordering(self.value(at: clash.path, in: record), like: value)
    }
}

extension KeyedFieldRule {
    /// The objects of an array in the order of another one; what the other has not stands behind what it stood behind.
    fileprivate func ordering(_ array: JSON?, like other: JSON?) -> JSON? {
        guard let mine = KeyedElements(array, by: self.key), let theirs = KeyedElements(other, by: self.key) else {
            return nil
        }
        let present = Set(mine.keys)
        let order = KeyedOrder(base: mine.keys, server: theirs.keys, client: mine.keys) { present.contains($0) }
        let names = KeyedNames(mine.keys + theirs.keys)
        let members = mine.object(names).object ?? [:]
        return .array(order.keys.compactMap { members[names.name(of: $0)] })
    }
}

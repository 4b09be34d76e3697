import TidemarkJSON

/// A second, independent implementation of the field rules (Contract §4). It covers the values that a simulation writes, and
/// returns no verdict if the result is not certain.
struct SimulatedMerge {
    var base: JSON
    var server: JSON
    var client: JSON
    /// The result of the engine.
    var merged: JSON
    /// Whether a lost value is in a journal.
    var hasListed: Bool

    /// An error of the merge, and its field.
    struct Flaw {
        var field: SimulationSetting.Field
        var kind: String
    }

    /// Whether the object around the fields is one value in a merge (Contract §4): a side has no object, or the object is a union,
    /// and a side has another case than the base.
    static func isOneValue(_ base: JSON, _ server: JSON, _ client: JSON) -> Bool {
        guard let base = base.in?.object, let server = server.in?.object, let client = client.in?.object else {
            return true
        }
        let hasCase = [base, server, client].allSatisfy { $0.count == 1 }
        return hasCase && (server.keys != base.keys || client.keys != base.keys)
    }

    /// The first field that differs from its rule; nil if all are right.
    func flaw(by rules: [SimulationSetting.Field: SimulationSetting.NamedRule]) -> Flaw? {
        self.flaw(by: rules, .none)
    }

    /// The first field that differs from its rule after an undo: the base is the content after the step, the client the content
    /// before it, and the server the present content, which keeps each field that was changed since.
    ///
    /// - Parameter takesAdditionsBack: Whether a number that is added up loses the part of the step; nil if that is not known.
    func flaw(
        ofUndoBy rules: [SimulationSetting.Field: SimulationSetting.NamedRule], takesAdditionsBack: Bool?
    ) -> Flaw? {
        self.flaw(by: rules, .some(takesAdditionsBack))
    }

    private func flaw(by rules: [SimulationSetting.Field: SimulationSetting.NamedRule], _ undo: Bool??) -> Flaw? {
        for field in SimulationSetting.Field.allCases {
            guard ![.a, .b].contains(field) || !Self.isOneValue(self.base, self.server, self.client) else { continue }
            let path = field.pointer
            let sides = SimulatedField(
                base: self.base[path: path], server: self.server[path: path], client: self.client[path: path],
                merged: self.merged[path: path], hasListed: self.hasListed, undo: undo)
            if let kind = sides.flaw(by: rules[field]) { return Flaw(field: field, kind: kind) }
        }
        return nil
    }
}

/// One field of a merge.
struct SimulatedField {
    var base: JSON?
    var server: JSON?
    var client: JSON?
    var merged: JSON?
    var hasListed: Bool

    /// For an undo, whether it takes additions back, or nil if that is not known; nil for a merge.
    var undo: Bool??

    private var isUndo: Bool { self.undo != nil }

    /// The error of the field; nil if it agrees with the rule.
    func flaw(by rule: SimulationSetting.NamedRule?) -> String? {
        if self.client == self.base {
            return self.isMerged(
                self.server,
                self.isUndo
                    ? "an undo changes a field that its step did not change"
                    : "a value that only the server changed is not applied")
        }
        if self.server == self.base {
            return self.isMerged(
                self.client,
                self.isUndo
                    ? "an undo leaves a field that was not changed since"
                    : "a value that only the client changed is not kept")
        }
        if rule == .sum { return self.sum }
        if self.server == self.client {
            return self.isMerged(self.client, "a value that both sides agree on is not applied")
        }
        if self.isUndo, [nil, .client, .server, .ask].contains(rule) { return self.unfit }
        return switch rule {
        case nil, .client, .sum: self.isMerged(self.client, "a field of the rule client lacks the client's value")
        case .server: self.isMerged(self.server, "a field of the rule server lacks the server's value")
        case .ask: "a field of the rule ask is decided without the user"
        case .union: self.union
        case .list: self.list
        case .text: self.text
        case .keyed: self.keyed
        }
    }

    private func isMerged(_ value: JSON?, _ complaint: String) -> String? { self.merged == value ? nil : complaint }

    /// The rule does not fit the values, so the client's value wins, or the present one in an undo.
    private var unfit: String? {
        self.isUndo
            ? self.isMerged(self.server, "an undo overwrites a value that was changed since")
            : self.isMerged(self.client, "a rule that does not fit changes the client's value")
    }

    private var sum: String? {
        // The addition itself may have been discarded.
        if self.undo == .some(.some(false)) { return self.server == self.client ? nil : self.unfit }
        if self.undo == .some(.none), self.merged == self.server { return nil }
        guard let base = (self.base ?? 0).int, let server = self.server?.int, let client = self.client?.int else {
            return self.unfit
        }
        return self.merged?.int == server + (client - base) ? nil : "a sum lacks one of the two differences"
    }

    // MARK: Arrays

    /// The required elements; nil if a side is not an array, or has an element twice.
    private var kept: Set<JSON>? {
        guard let base = (self.base ?? []).array, let server = self.server?.array, let client = self.client?.array,
            [base, server, client].allSatisfy({ Set($0).count == $0.count })
        else { return nil }
        let (before, theirs, ours) = (Set(base), Set(server), Set(client))
        return theirs.union(ours).filter { !before.contains($0) || theirs.contains($0) && ours.contains($0) }
    }

    private var isOfArrays: Bool {
        [self.base ?? [], self.server, self.client].allSatisfy { $0?.array != nil }
    }

    private var union: String? {
        guard self.isOfArrays else { return self.unfit }
        guard let kept else { return nil }
        let merged = self.merged?.array ?? []
        if let extra = Set(merged).subtracting(kept).first {
            return (self.base?.array ?? []).contains(extra)
                ? "a union restores a removed element" : "a union has an element that neither side added"
        }
        return merged.count == kept.count ? nil : "a union lacks an added element"
    }

    /// Checks the elements only. The rule itself decides the order of elements that neither side moved.
    private var list: String? {
        guard self.isOfArrays else { return self.unfit }
        guard let kept, !self.hasMoved, !self.hasTwins else { return nil }
        let merged = self.merged?.array ?? []
        return Set(merged) == kept && merged.count == kept.count ? nil : "a list lacks an insertion, or a removal"
    }

    /// Whether both sides inserted the same element, as two devices with a copied store do: each insertion may count.
    private var hasTwins: Bool {
        let sides = [self.base, self.server, self.client].map { Set($0?.array ?? []) }
        return !sides[1].intersection(sides[2]).isSubset(of: sides[0])
    }

    /// Whether a side changed the order of common elements: a moved element is one removal and one insertion.
    private var hasMoved: Bool {
        let sides = [self.base, self.server, self.client].map { $0?.array ?? [] }
        let common = Set(sides[0]).intersection(sides[1]).intersection(sides[2])
        let orders = Set(sides.map { $0.filter { common.contains($0) } })
        let ours = Set(sides[0]).intersection(sides[2])
        let theirs = Set(sides[0]).intersection(sides[1])
        return orders.count > 1 || sides[0].filter(ours.contains) != sides[2].filter(ours.contains)
            || sides[0].filter(theirs.contains) != sides[1].filter(theirs.contains)
    }

    // MARK: Texts

    private var text: String? {
        let texts = [self.base ?? "", self.server, self.client].map { $0?.string }
        guard texts.allSatisfy({ $0 != nil }) else { return self.unfit }
        let written = texts.dropFirst().reduce(into: Set<Substring>()) {
            $0.formUnion(($1 ?? "").split(separator: " "))
        }
        let words = (self.merged?.string ?? "").split(separator: " ")
        return words.allSatisfy(written.contains) ? nil : "a text has a word that neither side wrote"
    }

    // MARK: Objects by key

    private var keyed: String? {
        let sides = [self.base ?? [], self.server, self.client].map { $0.flatMap(KeyedSide.init) }
        guard let base = sides[0], let server = sides[1], let client = sides[2] else { return self.unfit }
        guard let merged = self.merged.flatMap(KeyedSide.init) else {
            return "a merged array has an element without an id, or two with the same id"
        }
        for key in Set(base.order + server.order + client.order) {
            let (old, theirs, ours) = (base.objects[key], server.objects[key], client.objects[key])
            let expected: JSON?
            if ours == old {
                expected = theirs
            } else if theirs == old || theirs == ours {
                expected = ours
            } else if self.isUndo {
                expected = theirs
            } else {
                continue
            }
            guard merged.objects[key] == expected else {
                return "an object that one side changed differs from that side"
            }
        }
        return self.order(base, server, client, merged)
    }

    /// The side that moved objects decides their order. If both did, the client's order wins, and the clash is listed.
    private func order(_ base: KeyedSide, _ server: KeyedSide, _ client: KeyedSide, _ merged: KeyedSide) -> String? {
        let common = Set(base.order).intersection(server.order).intersection(client.order)
        let (old, theirs, ours) = (base.order(of: common), server.order(of: common), client.order(of: common))
        let isTheirs = ours == old || self.isUndo && theirs != old
        guard merged.order(of: common) == (isTheirs ? theirs : ours) else {
            return "objects have the order of neither side"
        }
        let isClash = ours != old && theirs != old && ours != theirs
        return isClash && !self.hasListed ? "two orders of the same objects clash, and the clash is not listed" : nil
    }
}

/// An array of objects that have keys.
private struct KeyedSide {
    private(set) var order: [JSON] = []
    private(set) var objects: [JSON: JSON] = [:]

    init?(_ value: JSON) {
        guard let array = value.array else { return nil }
        for object in array {
            guard let key = object["id"], self.objects[key] == nil else { return nil }
            self.order.append(key)
            self.objects[key] = object
        }
    }

    /// The order of some objects.
    func order(of keys: Set<JSON>) -> [JSON] { self.order.filter(keys.contains) }
}

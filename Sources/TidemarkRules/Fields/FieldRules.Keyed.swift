public import TidemarkJSON

extension FieldRules {
    /// Arrays of objects, merged object by object: a member, such as `id`, identifies an object.
    ///
    /// Fields inside are merged as those of a record are, by the rules whose patterns match them: `/lines/*/count` is a field
    /// of each object of `/lines`. The order of the objects is kept; if both sides inserted at the same place, the server's
    /// objects come first. A clash names the array, then the object's key: `/lines/7/count`. Keys are strings and numbers, and
    /// `1` and `"1"` are two keys; if an array has both, the string is written with quotes. On the wire the array is replaced
    /// whole.
    ///
    /// The rule does not fit an array with an element that is not an object, with an object without the key, or with a key
    /// twice.
    public struct Keyed: FieldRule {
        /// The name of the member that identifies an object.
        public let key: String

        /// Makes the rule.
        public init(_ key: String) {
            self.key = key
        }

        /// The key.
        public var keyedBy: String? { self.key }

        /// The merged array.
        public func decide(_ field: FieldConflict) -> FieldOutcome {
            guard let base = KeyedElements(field.base ?? [], by: self.key),
                let server = KeyedElements(field.server, by: self.key),
                let client = KeyedElements(field.client, by: self.key)
            else { return .client }
            let rules = field.rules
            let names = KeyedNames(base.keys + server.keys + client.keys)
            let merge = JSONMerge.merge(
                dictionaries: base.object(names), server: server.object(names), client: client.object(names),
                // The array itself is decided here; the rules are for the values inside.
                rule: { $0.isRoot ? nil : rules.decision(at: field.path.appending($0), in: field.record) },
                sums: { !$0.isRoot && rules.sums(at: field.path.appending($0)) })
            let members = merge.merged?.object ?? [:]
            let order = KeyedOrder(base: base.keys, server: server.keys, client: client.keys) {
                members[names.name(of: $0)] != nil
            }
            var clashes = merge.clashes.map { $0.moved(below: field.path) }
            if order.hasClash {
                let clash = JSONMerge.Clash(
                    path: field.path, base: field.base, server: field.server, client: field.client, winner: .client)
                clashes.append(clash)
            }
            return .merged(.array(order.keys.compactMap { members[names.name(of: $0)] }), clashes: clashes)
        }
    }
}

extension FieldRule where Self == FieldRules.Keyed {
    /// Arrays of objects, merged object by object.
    ///
    /// - Parameter key: The name of the member that identifies an object.
    public static func keyed(_ key: String) -> FieldRules.Keyed { FieldRules.Keyed(key) }
}

extension JSONMerge.Clash {
    /// Returns the same clash, of a value below a path.
    fileprivate func moved(below path: JSONPointer) -> JSONMerge.Clash {
        JSONMerge.Clash(
            path: path.appending(self.path), base: self.base, server: self.server, client: self.client,
            winner: self.winner)
    }
}

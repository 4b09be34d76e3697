package import TidemarkJSON

/// A change that an app made through one of its types, applied to the whole record (Contract §8).
///
/// Three documents describe it: the record, the record as the type sees it (decoded and encoded again), and the record as the
/// type has it after the change. Only the difference between the last two is the app's change. Everything else of the record
/// keeps its text: members that the type does not know, digits that it rounds, dates that it writes in another form. That
/// holds for the elements of arrays as well: ``ArrayOrigins`` finds the element of the record for each element that the type
/// sees, and ``ArrayMatches`` finds the element before the change for each element after it.
///
/// JSON does not say what an array is for the type: a list, a set, or the keys and values of a dictionary. So the type reads the
/// result. An array that it does not read as the change left it is written as the type writes it, as one value.
package struct TypedChange {
    /// An array in which an element was removed or replaced together with values that the type does not know.
    package struct Loss: Hashable, Sendable {
        /// The path of the array in the record: the outermost one, if arrays contain arrays.
        package let path: JSONPointer

        /// The array in the record before the change.
        package let value: JSON
    }

    /// The record after the change.
    package let record: JSON

    /// The arrays in which values that the type does not know were lost, and it is not certain that the app removed them.
    package let losses: [Loss]

    /// A change of the whole record.
    ///
    /// - Parameter former: The record before it, if it is lost with values that the app may not know.
    package init(record: JSON, losing former: JSON? = nil) {
        self.record = record
        self.losses = former.map { [Loss(path: .root, value: $0)] } ?? []
    }

    /// Applies a change.
    ///
    /// - Parameters:
    ///   - before: The record as the type sees it. A path that exists in it but not in the record (a default, for example) is
    ///     added if the change sets it to another value.
    ///   - after: The record as the type has it after the change.
    ///   - record: The whole record.
    ///   - fields: The rules of the collection: the key of a rule that merges arrays of objects identifies an object.
    ///   - view: Returns a record as the type sees it; nil if the type can't read it.
    package init(
        from before: JSON, to after: JSON, of record: JSON, by fields: FieldRules, seenBy view: (JSON) -> JSON?
    ) {
        var walk = TypedWalk(fields: fields)
        let changed = walk.value(TypedWalk.Sides(record, before, after), at: .root)
        let misread = Self.misread(walk.arrays, in: changed, after: after, seenBy: view)
        self.record = TypedWalk.apply(misread.map { .replace($0.array.path, $0.own) }, to: changed)
        self.losses = walk.losses + misread.map(\.array).filter { !walk.losses.contains($0) }
    }
}

/// Visits the values that a change of a type changed, from the root down.
private struct TypedWalk {
    /// A value of the record, and the same value as the type sees it before and after the change.
    struct Sides {
        var original: JSON
        var before: JSON
        var after: JSON

        init(_ original: JSON, _ before: JSON, _ after: JSON) {
            (self.original, self.before, self.after) = (original, before, after)
        }

        /// Whether an object with one member gets another one in its place, as an enum with a payload does when its case
        /// changes: the former member does not stay beside it, even if the type sees it under another name.
        var isAnotherCase: Bool {
            self.original.object?.count == 1 && self.before.isAnotherCase(than: self.after)
        }
    }

    let fields: FieldRules
    private(set) var losses: [TypedChange.Loss] = []

    /// The outermost arrays that the change changed, as they were before.
    private(set) var arrays: [TypedChange.Loss] = []

    /// The outermost array that contains the values that are visited; nil outside of arrays.
    private var array: TypedChange.Loss?

    init(fields: FieldRules) {
        self.fields = fields
    }

    /// Returns the value of the record after the change.
    mutating func value(_ sides: Sides, at path: JSONPointer) -> JSON {
        guard sides.before != sides.after else { return sides.original }
        var operations: [JSONPatch.Operation] = []
        self.visit(sides, at: .root, in: path, &operations)
        return Self.apply(operations, to: sides.original)
    }

    /// Returns a value after operations that fit it.
    static func apply(_ operations: [JSONPatch.Operation], to record: JSON) -> JSON {
        guard !operations.isEmpty else { return record }
        // The limits are for patches from outside; these operations have values of the app and of the record.
        let limits = JSON.Limits(nestingDepth: .max, bytes: .max)
        guard let changed = try? JSONPatch(operations).apply(to: record, limits: limits) else {
            preconditionFailure("a change of a type does not fit its record: \(JSONPatch(operations))")
        }
        return changed
    }

    /// Lists the changes of a value that the change changed.
    private mutating func visit(
        _ sides: Sides, at place: JSONPointer, in path: JSONPointer, _ operations: inout [JSONPatch.Operation]
    ) {
        switch (sides.original.kindOfValue, sides.before.kindOfValue, sides.after.kindOfValue) {
        case (.object, .object, .object) where !sides.isAnotherCase:
            self.visitMembers(sides, at: place, in: path, &operations)
        case (.array, .array, .array):
            operations.append(.replace(place, .array(self.elements(sides, at: path.appending(place)))))
        default:
            operations.append(.replace(place, sides.after))
        }
    }

    private mutating func visitMembers(
        _ sides: Sides, at place: JSONPointer, in path: JSONPointer, _ operations: inout [JSONPatch.Operation]
    ) {
        for (key, after) in sides.after.object ?? [:] {
            let before: JSON? = sides.before[key]
            guard before != after else { continue }
            let below = place.appending(key)
            guard let original: JSON = sides.original[key] else {
                operations.append(.add(below, after))
                continue
            }
            // A member that the type did not see before: both are objects, or the new value replaces it.
            self.visit(Sides(original, before ?? [:], after), at: below, in: path, &operations)
        }
        for (key, _) in sides.before.object ?? [:] where sides.after[key] == nil && sides.original[key] != nil {
            operations.append(.remove(place.appending(key)))
        }
    }

    /// Returns the elements of an array of the record after the change.
    private mutating func elements(_ sides: Sides, at path: JSONPointer) -> [JSON] {
        let outer = self.array
        self.array = outer ?? TypedChange.Loss(path: path, value: sides.original)
        if outer == nil, let array { self.arrays.append(array) }
        defer { self.array = outer }
        let (original, before, after) = (sides.original.array ?? [], sides.before.array ?? [], sides.after.array ?? [])
        if let pairs = ArrayPairs(original, before, after) {
            let elements = self.items(pairs.original, pairs.before, pairs.after, by: { $0[0] }) { walk, pair, place in
                walk.pair(pair, at: path.appending(String(2 * place + 1)))
            }
            return elements.map { $0.flatMap { $0.array ?? [] } } ?? after
        }
        let key = self.fields.rule(at: path)?.keyedBy ?? ArrayMatches.usualKey
        let identity = { KeyedElements.key(of: $0, by: key) }
        let elements = self.items(original, before, after, by: identity) { walk, element, place in
            walk.value(element, at: path.appending(String(place)))
        }
        return elements ?? after
    }

    /// Returns the elements or the pairs of an array of the record after the change; nil if it is not certain what they are.
    private mutating func items(
        _ original: [JSON], _ before: [JSON], _ after: [JSON], by identity: (JSON) -> JSON?,
        value: (inout TypedWalk, Sides, Int) -> JSON
    ) -> [JSON]? {
        guard let origins = ArrayOrigins(of: before, in: original, by: identity) else {
            self.noteLoss()
            return nil
        }
        let matches = ArrayMatches(of: after, in: before, by: identity)
        if self.hasLoss(original, before, origins, matches) { self.noteLoss() }
        var changed: [Int: JSON] = [:]
        for (place, match) in matches.places.enumerated() {
            guard let match, let origin = origins.places[match] else { continue }
            changed[place] = value(&self, Sides(original[origin], before[match], after[place]), origin)
        }
        return ArrayOrder(origins, matches, count: original.count).items.compactMap { item in
            switch item {
            case .hidden(let place): original[place]
            case .after(let place): changed[place] ?? after[place]
            }
        }
    }

    /// Returns a pair of the record after the change: the same key, and its value.
    private mutating func pair(_ sides: Sides, at path: JSONPointer) -> JSON {
        guard let original = sides.original[1], let before = sides.before[1], let after = sides.after[1] else {
            return sides.after
        }
        return .array([sides.original[0] ?? .null, self.value(Sides(original, before, after), at: path)])
    }

    /// Whether an element with values that the type does not know is gone, and perhaps was not meant to be: a new element may
    /// be the same one after a change, or an equal element, as the type sees it, was kept in its place.
    private func hasLoss(
        _ original: [JSON], _ before: [JSON], _ origins: ArrayOrigins, _ matches: ArrayMatches
    ) -> Bool {
        let removed = matches.removed.filter { place in
            origins.places[place].map { original[$0] != before[place] } ?? false
        }
        guard !removed.isEmpty else { return false }
        if matches.places.contains(nil) { return true }
        let kept = Set(matches.places.compactMap { $0.map { before[$0] } })
        return removed.contains { kept.contains(before[$0]) }
    }

    private mutating func noteLoss() {
        guard let array, !self.losses.contains(array) else { return }
        self.losses.append(array)
    }
}

package import TidemarkJSON

// The paths at which values are lost, restored and sent again.

extension FieldRules {
    /// The paths that a change changed, as values that stay together: an object that a rule treats as one value, and a union
    /// whose case changed (Contract §4), are one path. A part of such a value alone would not fit the rest of another one.
    package func units(from base: JSON?, to value: JSON?) -> [JSONPointer] {
        self.units(of: JSONPatch.diff(from: base, to: value).changedPaths, from: base, to: value)
    }

    /// The same for some paths of a change, in their order.
    package func units(of paths: [JSONPointer], from base: JSON?, to value: JSON?) -> [JSONPointer] {
        var known: Set<JSONPointer> = []
        return paths.map { self.unit(of: $0, from: base, to: value) }.filter { known.insert($0).inserted }
    }

    /// Whether the values at a path are compared as a whole, also if both are objects.
    package func isUnit(_ path: JSONPointer, from base: JSON?, to value: JSON?) -> Bool {
        if path.isRoot { return false }
        if let base, let value, base.isAnotherCase(than: value) { return true }
        return self.rule(at: path) != nil
    }

    private func unit(of path: JSONPointer, from base: JSON?, to value: JSON?) -> JSONPointer {
        var (place, base, value) = (JSONPointer.root, base, value)
        for token in path.tokens {
            if self.isUnit(place, from: base, to: value) { return place }
            (base, value) = (base?.child(token), value?.child(token))
            place = place.appending(token)
        }
        return path
    }
}

/// The canonical form, and the operations on it (Contract §4). Each result is canonical for its document.
extension JSONPatch {
    /// Returns the canonical patch from `from` to `to`; nil means that there is no record.
    ///
    /// Objects are compared key by key, arrays are one value, and values that are equal (another spelling of a number, another
    /// order of keys) give no operation. Only if the paths would have more than 16 MiB in total (many changes below a key of
    /// megabytes) is an object replaced as one value.
    public static func diff(from: JSON?, to: JSON?) -> JSONPatch {
        JSONPatch(Changes.between(from, to, at: .root))
    }

    /// Returns the canonical patch with the same effect on `base`.
    ///
    /// - Throws: `JSONError` if this patch does not apply to `base`.
    public func canonical(over base: JSON?) throws(JSONError) -> JSONPatch {
        .diff(from: base, to: try self.apply(to: base))
    }

    /// Returns the canonical patch with the effect on `base` of this one followed by `next`: of two changes of the same path
    /// only the last is left, and none if it restores the value of the base.
    ///
    /// - Throws: `JSONError` if one of them does not apply.
    public func compose(_ next: JSONPatch, over base: JSON?) throws(JSONError) -> JSONPatch {
        .diff(from: base, to: try next.apply(to: try self.apply(to: base)))
    }

    /// Returns the canonical patch that restores `base` after this one was applied to it.
    ///
    /// - Throws: `JSONError` if this patch does not apply to `base`.
    public func inverted(over base: JSON?) throws(JSONError) -> JSONPatch {
        .diff(from: try self.apply(to: base), to: base)
    }

    /// Returns whether `document` has the values of this canonical patch, at every path that it writes (R18).
    ///
    /// The rest of the document does not matter. An empty patch is held by any document.
    public func isHeld(by document: JSON?) throws(JSONError) -> Bool {
        for operation in self.operations {
            switch operation {
            case .add(let path, let value), .replace(let path, let value):
                guard let there = document?[pointer: path], value == there else { return false }
            case .remove(let path):
                guard document?[pointer: path] == nil else { return false }
            case .move, .copy, .test:
                throw .patch("\(operation.name) is not part of a canonical patch; make it canonical first", at: "")
            }
        }
        return true
    }

    /// The paths of `operations` are disjoint: none is above another.
    init(sorting operations: [Operation]) {
        guard operations.count <= Self.few else {
            self.init(operations.sorted(byPath: \.path))
            return
        }
        // A user usually changes a few members, nearly in order: then insertion sort is the fastest, and needs no memory.
        var sorted = operations
        for end in sorted.indices.dropFirst() {
            var place = end
            while place > 0, sorted[place].path < sorted[place - 1].path {
                sorted.swapAt(place, place - 1)
                place -= 1
            }
        }
        self.init(sorted)
    }

    /// Up to this many operations are sorted by insertion.
    private static let few = 12
}

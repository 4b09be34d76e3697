/// The canonical form and what is computed with it (SPEC §4). Each result is canonical over the document it is for.
extension JSONPatch {
    /// The canonical patch that makes `to` of `from`; nil is "there is no record".
    ///
    /// Objects are compared key by key, arrays are one value, and what is equal by value (another spelling of a number,
    /// another order of keys) gives no operation. Only where the paths would have more than 16 MiB together (many changes
    /// below a key of megabytes) is an object replaced as one value.
    public static func diff(from: JSON?, to: JSON?) -> JSONPatch {
        JSONPatch(Changes.between(from, to, at: .root))
    }

    /// The canonical patch with the same effect on `base`.
    ///
    /// - Throws: `JSONError` if this patch does not apply to `base`.
    public func canonical(over base: JSON?) throws(JSONError) -> JSONPatch {
        .diff(from: base, to: try self.apply(to: base))
    }

    /// The canonical patch that does to `base` what this one and then `next` do: of two changes of one path only the
    /// last is left, and none if it brings back what was there.
    ///
    /// - Throws: `JSONError` if one of them does not apply.
    public func compose(_ next: JSONPatch, over base: JSON?) throws(JSONError) -> JSONPatch {
        .diff(from: base, to: try next.apply(to: try self.apply(to: base)))
    }

    /// The canonical patch that brings `base` back after this one was applied to it.
    ///
    /// - Throws: `JSONError` if this patch does not apply to `base`.
    public func inverted(over base: JSON?) throws(JSONError) -> JSONPatch {
        .diff(from: try self.apply(to: base), to: base)
    }

    /// Whether `document` has what this canonical patch would write, at every path it writes (SPEC R18).
    ///
    /// The rest of the document takes no part. An empty patch is held by any document.
    public func isHeld(by document: JSON?) throws(JSONError) -> Bool {
        for operation in self.operations {
            switch operation {
            case .add(let path, let value), .replace(let path, let value):
                guard let there = document?[pointer: path], value == there else { return false }
            case .remove(let path):
                guard document?[pointer: path] == nil else { return false }
            case .move, .copy, .test:
                throw .patch("\(operation.name) is no part of a canonical patch; make it canonical first", at: "")
            }
        }
        return true
    }

    /// No two operations of `operations` have paths above one another.
    init(sorting operations: [Operation]) {
        guard operations.count <= Self.few else {
            let isSorted = zip(operations, operations.dropFirst()).allSatisfy { $0.path < $1.path }
            self.init(isSorted ? operations : operations.sorted { $0.path < $1.path })
            return
        }
        // What a person changes is a handful, and nearly in order: then this is the quickest, and needs no room.
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

    /// So many operations are put in order one by one.
    private static let few = 12
}

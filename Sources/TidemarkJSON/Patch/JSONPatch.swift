/// A list of changes to one JSON document (RFC 6902).
///
/// `apply(to:)` accepts any patch of the standard. `diff(from:to:)`, `canonical(over:)`, `compose(_:over:)` and
/// `inverted(over:)` make only the canonical form of Contract §4: `add`, `replace` and `remove`, at most one for a path
/// and none below another's path, sorted by the bytes of the pointer, never an index into an array, and never an
/// operation that changes nothing.
///
/// ```swift
/// let patch = JSONPatch.diff(from: ["title": "Milk"], to: ["title": "Oat milk"])
/// patch.text                                  // [{"op":"replace","path":"/title","value":"Oat milk"}]
/// try patch.apply(to: ["title": "Milk"])      // {"title":"Oat milk"}
/// ```
///
/// The patch between two small documents keeps both of them in memory, and makes its operations when they are first used;
/// `JSONPatch(patch.operations)` keeps only their values.
public struct JSONPatch: Sendable {
    /// The representation of the patch.
    enum Storage: Sendable {
        case operations([Operation])
        /// The changes of a canonical patch.
        case changes(Changes)
    }

    private(set) var storage: Storage

    /// Makes a patch from the given operations, unchanged.
    public init(_ operations: [Operation] = []) {
        self.storage = .operations(operations)
    }

    /// Makes the canonical patch from changes.
    init(_ changes: Changes) {
        self.storage = !changes.isEmpty && changes.mayBeKept ? .changes(changes) : .operations(changes.operations)
    }

    /// The changes, in the order in which they are applied.
    public var operations: [Operation] {
        get {
            switch self.storage {
            case .operations(let operations): operations
            case .changes(let changes): changes.operations
            }
        }
        _modify {
            var operations = self.operations
            // Drops this value's own reference first, so that the operations are changed in place.
            self.storage = .operations([])
            defer { self.storage = .operations(operations) }
            yield &operations
        }
    }

    /// Whether it has no operation.
    public var isEmpty: Bool {
        switch self.storage {
        case .operations(let operations): operations.isEmpty
        case .changes(let changes): changes.isEmpty
        }
    }

    /// The pointers that the operations change, in their order; a `move` also gives its source, a `test` gives none.
    public var changedPaths: [JSONPointer] {
        if case .changes(let changes) = self.storage { return changes.paths }
        return self.operations.flatMap { (operation) -> [JSONPointer] in
            switch operation {
            case .add(let path, _), .replace(let path, _), .remove(let path), .copy(_, let path): [path]
            case .move(let from, let path): [from, path]
            case .test: []
            }
        }
    }
}

extension JSONPatch {
    /// The pointers that its `remove` operations remove, in their order.
    package var removedPaths: [JSONPointer] {
        if case .changes(let changes) = self.storage, !changes.hasRemovals { return [] }
        return self.operations.compactMap { operation in
            if case .remove(let path) = operation { path } else { nil }
        }
    }
}

extension JSONPatch: Hashable {
    /// Whether both have the same operations in the same order.
    public static func == (left: JSONPatch, right: JSONPatch) -> Bool { left.operations == right.operations }

    /// Feeds the operations.
    public func hash(into hasher: inout Hasher) {
        self.operations.hash(into: &hasher)
    }
}

extension JSONPatch: CustomStringConvertible {
    /// The patch's compact JSON text.
    public var description: String { self.text }
}

/// A list of changes to one JSON document, after RFC 6902.
///
/// `apply(to:)` takes any patch of the standard. `diff(from:to:)`, `canonical(over:)`, `compose(_:over:)` and
/// `inverted(over:)` make the canonical form of SPEC §4 only: `add`, `replace` and `remove`, at most one for a path
/// and none below another's path, sorted by the bytes of the pointer, never an index into an array, and never an
/// operation that changes nothing.
///
/// ```swift
/// let patch = JSONPatch.diff(from: ["title": "Milk"], to: ["title": "Oat milk"])
/// patch.text                                  // [{"op":"replace","path":"/title","value":"Oat milk"}]
/// try patch.apply(to: ["title": "Milk"])      // {"title":"Oat milk"}
/// ```
///
/// The patch between two small documents holds both of them in memory, and its operations are made when they are asked
/// for; `JSONPatch(patch.operations)` holds no more than their values do.
public struct JSONPatch: Sendable {
    /// What it is made of.
    enum Storage: Sendable {
        case operations([Operation])
        /// Those of a canonical patch.
        case changes(Changes)
    }

    private(set) var storage: Storage

    /// Makes a patch of the given operations, as they are.
    public init(_ operations: [Operation] = []) {
        self.storage = .operations(operations)
    }

    /// Makes the canonical patch of changes.
    init(_ changes: Changes) {
        self.storage = !changes.isEmpty && changes.mayBeKept ? .changes(changes) : .operations(changes.operations)
    }

    /// The changes, in the order they are carried out.
    public var operations: [Operation] {
        get {
            switch self.storage {
            case .operations(let operations): operations
            case .changes(let changes): changes.operations
            }
        }
        _modify {
            var operations = self.operations
            // Gives up this value's own reference first, so that the operations are changed in place.
            self.storage = .operations([])
            defer { self.storage = .operations(operations) }
            yield &operations
        }
    }

    /// Whether it has no operation at all.
    public var isEmpty: Bool {
        switch self.storage {
        case .operations(let operations): operations.isEmpty
        case .changes(let changes): changes.isEmpty
        }
    }

    /// The pointers the operations change, in their order; a `move` gives the place it leaves too, a `test` gives none.
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
    /// The pointers of what its `remove` operations remove, in their order.
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

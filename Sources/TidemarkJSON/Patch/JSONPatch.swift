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
public struct JSONPatch: Sendable, Hashable {
    /// The changes, in the order they are carried out.
    public var operations: [Operation]

    /// Makes a patch of the given operations, as they are.
    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// Whether it has no operation at all.
    public var isEmpty: Bool { self.operations.isEmpty }

    /// The pointers the operations change, in their order; a `move` gives the place it leaves too, a `test` gives none.
    public var changedPaths: [JSONPointer] {
        self.operations.flatMap { (operation) -> [JSONPointer] in
            switch operation {
            case .add(let path, _), .replace(let path, _), .remove(let path), .copy(_, let path): [path]
            case .move(let from, let path): [from, path]
            case .test: []
            }
        }
    }
}

extension JSONPatch: CustomStringConvertible {
    /// The patch's compact JSON text.
    public var description: String { self.text }
}

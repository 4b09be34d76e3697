/// A difference between two values at the same path.
///
/// Objects are compared key by key; any other value, also an array, is one value (Contract §4). The canonical patch and the merge
/// both use these changes, so that they agree about them.
struct Change {
    /// Marks a missing value, and the key of the root.
    static let nothing: Int32 = -1

    /// The position of the key: on the old tape if there was a value, else on the new tape.
    let key: Int32

    /// The position of the old value; ``nothing`` if there was none.
    let before: Int32

    /// The position of the new value; ``nothing`` if there is none.
    let after: Int32

    /// Whether the value was added, removed or replaced; if not, both are objects, and the changes of the members follow.
    var isWhole: Bool

    /// The index after the changes of its members, in the list that contains both.
    var end: Int32
}

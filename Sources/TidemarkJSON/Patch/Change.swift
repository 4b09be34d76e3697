/// A difference between two values at one path.
///
/// Objects are compared key by key; any other value, also an array, is one value (SPEC §4). The canonical patch and the merge
/// both use these changes, so that they agree about them.
struct Change {
    /// Marks a missing value, and the key of the root.
    static let nothing: Int32 = -1

    /// The position of the key: on the tape before if there was a value, else on the tape after.
    let key: Int32

    /// The position of the value before, or ``nothing``.
    let before: Int32

    /// The position of the value after, or ``nothing``.
    let after: Int32

    /// Whether the value was added, removed or replaced; if not, both are objects, and the changes of the members follow.
    var isWhole: Bool

    /// The index after the changes of its members, in the list that contains both.
    var end: Int32
}

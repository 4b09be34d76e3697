/// What is different between two values at one path.
///
/// Objects are compared key by key; anything else, arrays too, is one value (SPEC §4). Both the canonical patch and the
/// merge read these changes, so that they can't differ about what a change is.
struct Change {
    /// Stands where there is no value, and for the key of the root.
    static let nothing: Int32 = -1

    /// The place of the key: on the tape before if there was a value, else on the tape after.
    let key: Int32

    /// The place of the value before, or ``nothing``.
    let before: Int32

    /// The place of the value after, or ``nothing``.
    let after: Int32

    /// Whether the value came, went, or was put in place of another; if not, an object stayed an object, and the changes of
    /// its members follow.
    var isWhole: Bool

    /// Behind the changes of its members, in the list that both are in.
    var end: Int32
}

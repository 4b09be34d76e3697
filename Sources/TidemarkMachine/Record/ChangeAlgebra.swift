/// What the record machine has to know about contents and changes, and no more.
///
/// The machine itself knows no JSON. The client gives it JSON payloads and patches; the exploration gives it two small
/// integers. Both run the very same machine.
///
/// A `Content` is a whole record, a `Change` leads from one content to another. "No content" (`nil`) is a record that is
/// not there.
public protocol ChangeAlgebra: Sendable {
    /// A whole record.
    associatedtype Content: Hashable, Sendable

    /// What leads from one content to another.
    associatedtype Change: Hashable, Sendable

    /// What can go wrong with contents that come from a disk.
    associatedtype Failure: Error

    /// The change that leads from one content to another; nil when they are equal by value.
    func change(from base: Content?, to content: Content) throws(Failure) -> Change?

    /// The change that replaces a content as a whole (R23); nil when they are equal by value.
    func replacement(of base: Content?, by content: Content) throws(Failure) -> Change?

    /// The content that a change leads to.
    func apply(_ change: Change, to base: Content?) throws(Failure) -> Content

    /// Puts what the client changed over what the server changed.
    ///
    /// - Returns: The merged content, with the client's value where both changed the same field to two values, and
    ///   whether there was such a field.
    func merge(base: Content?, server: Content, client: Content) throws(Failure) -> (content: Content, clashes: Bool)

    /// Whether a content has, on every path of the change, what the change put there (R18).
    func shows(_ change: Change, in content: Content) throws(Failure) -> Bool
}

/// The operations on contents and changes that the record machine needs.
///
/// The machine itself knows no JSON: the client passes JSON payloads and patches.
///
/// A `Content` is a whole record, a `Change` leads from one content to another. `nil` as a content is an absent record.
public protocol ChangeAlgebra: Sendable {
    /// A whole record.
    associatedtype Content: Hashable, Sendable

    /// The difference that leads from one content to another.
    associatedtype Change: Hashable, Sendable

    /// The merge of two changes of a content.
    associatedtype Merge: ContentMerge<Content>

    /// The error for contents from a disk that are damaged.
    associatedtype Failure: Error

    /// Returns the change that leads from one content to another; nil when they are equal by value.
    func change(from base: Content?, to content: Content) throws(Failure) -> Change?

    /// Returns the change that replaces a content as a whole (R23); nil when they are equal by value.
    func replacement(of base: Content?, by content: Content) throws(Failure) -> Change?

    /// Returns the content that a change leads to.
    func apply(_ change: Change, to base: Content?) throws(Failure) -> Content

    /// Merges the client's changes with the server's changes.
    func merge(base: Content?, server: Content, client: Content) throws(Failure) -> Merge

    /// Returns whether a content has, on every path of the change, the value of the change (R18).
    func shows(_ change: Change, in content: Content) throws(Failure) -> Bool
}

/// A merge of the server's and the client's changes of a content.
public protocol ContentMerge<Content>: Sendable {
    /// A whole record.
    associatedtype Content

    /// Whether a value of a side lost, by any decision.
    var hasClashes: Bool { get }

    /// The merged content as the rules decide.
    var byRules: Content { get }

    /// The merged content in which the client's value wins whenever a value would be lost.
    var keepingClient: Content { get }
}

import TidemarkMachine

/// A record of two fields with small numbers, so that every state of it can be listed.
///
/// 0 means that the record does not have the field.
package struct TinyContent: Hashable, Sendable {
    /// The first field.
    package var a: UInt8

    /// The second field.
    package var b: UInt8

    /// Makes a record; 0 leaves a field out.
    package init(a: UInt8 = 0, b: UInt8 = 0) {
        self.a = a
        self.b = b
    }
}

extension TinyContent {
    /// The names of the fields.
    enum Field: CaseIterable {
        case a, b
    }

    /// The value of a field; 0 for a missing field.
    subscript(field: Field) -> UInt8 {
        switch field {
        case .a: self.a
        case .b: self.b
        }
    }
}

extension TinyContent: CustomStringConvertible {
    /// `{a1 b2}`, without missing fields.
    package var description: String {
        let fields = [("a", self.a), ("b", self.b)].filter { $0.1 != 0 }.map { "\($0.0)\($0.1)" }
        return "{\(fields.joined(separator: " "))}"
    }
}

/// The difference of one ``TinyContent`` from another.
package struct TinyChange: Hashable, Sendable {
    /// The new value of the first field; nil keeps the old value, 0 removes the field.
    package var a: UInt8?

    /// The new value of the second field; nil keeps the old value, 0 removes the field.
    package var b: UInt8?

    /// Whether it is one operation at the root: a create, or the replacement of R23.
    package var isWhole: Bool

    /// Makes a change.
    package init(a: UInt8?, b: UInt8?, isWhole: Bool) {
        self.a = a
        self.b = b
        self.isWhole = isWhole
    }
}

/// The merge of two changes of a ``TinyContent``. The client's value wins in any case.
package struct TinyMerge: ContentMerge {
    package var hasClashes: Bool
    package var byRules: TinyContent
    package var keepingClient: TinyContent { self.byRules }
}

/// The algebra of a record of two fields: everything that the record machine does with JSON, in two small numbers.
package struct TinyAlgebra: ChangeAlgebra {
    /// A change that needs a record was applied without one.
    package struct Failure: Error, Hashable {
        package var change: TinyChange
    }

    /// Whether the second field is a counter: a merge adds the local difference to the server's value.
    package var isCounting = false

    package init() {}

    /// The change from one content to another; nil if they are equal.
    package func change(from base: TinyContent?, to content: TinyContent) throws(Failure) -> TinyChange? {
        guard let base else { return TinyChange(a: content.a, b: content.b, isWhole: true) }
        guard base != content else { return nil }
        return TinyChange(
            a: base.a == content.a ? nil : content.a, b: base.b == content.b ? nil : content.b, isWhole: false)
    }

    /// The change that replaces a content as a whole; nil when they are equal.
    package func replacement(of base: TinyContent?, by content: TinyContent) throws(Failure) -> TinyChange? {
        base == content ? nil : TinyChange(a: content.a, b: content.b, isWhole: true)
    }

    /// The content after a change.
    package func apply(_ change: TinyChange, to base: TinyContent?) throws(Failure) -> TinyContent {
        if change.isWhole { return TinyContent(a: change.a ?? 0, b: change.b ?? 0) }
        guard let base else { throw Failure(change: change) }
        return TinyContent(a: change.a ?? base.a, b: change.b ?? base.b)
    }

    /// Three-way merge, field by field. If both sides changed a field to two values, the client's value wins.
    package func merge(
        base: TinyContent?, server: TinyContent, client: TinyContent
    ) throws(Failure) -> TinyMerge {
        let start = base ?? TinyContent()
        let a = Self.merge(start.a, server.a, client.a)
        let b =
            self.isCounting
            ? (value: server.b + (client.b - start.b), clashes: false) : Self.merge(start.b, server.b, client.b)
        return TinyMerge(hasClashes: a.clashes || b.clashes, byRules: TinyContent(a: a.value, b: b.value))
    }

    /// Whether a content has the value of the change in every field of the change (R18).
    package func shows(_ change: TinyChange, in content: TinyContent) throws(Failure) -> Bool {
        (change.a ?? content.a) == content.a && (change.b ?? content.b) == content.b
    }

    private static func merge(_ base: UInt8, _ server: UInt8, _ client: UInt8) -> (value: UInt8, clashes: Bool) {
        if client == base { return (server, false) }
        return (client, server != base && server != client)
    }
}

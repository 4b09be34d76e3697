package import TidemarkJSON

/// A JSON pointer of a query or an index; one step may be `*`, for each element of an array.
package struct QueryPath: Hashable, Sendable {
    /// The steps, without escapes.
    private let steps: [CodePointString]

    /// The position of the `*`, or nil.
    private let star: Int?

    package var hasStar: Bool { self.star != nil }

    /// Reads a path.
    ///
    /// - Parameter place: Where the path is, for the message.
    package init(_ text: String, in place: String) throws(TidemarkError) {
        let pointer: JSONPointer
        do {
            pointer = try JSONPointer(parsing: text)
        } catch {
            throw TidemarkError(.invalidQuery, "\(place): \(error.message).", cause: error)
        }
        self.steps = pointer.tokens.map { CodePointString($0) }
        self.star = self.steps.firstIndex { $0 == "*" }
        guard self.steps.count(where: { $0 == "*" }) <= 1 else {
            throw TidemarkError(
                .invalidQuery,
                "\(place): “\(text)” has two “*”, and one is possible. Name the inner element by its index.")
        }
    }

    /// The value of a path without `*`; nil if it is missing.
    package func value(in record: JSON?) -> JSON? {
        self.steps.reduce(record) { $0?.child($1.value) }
    }

    /// The values at the path: one at most without `*`, with it one for each element that has the rest of the path.
    package func values(in record: JSON?) -> [JSON] {
        guard let star else { return self.value(in: record).map { [$0] } ?? [] }
        let elements = self.steps[..<star].reduce(record) { $0?.child($1.value) }?.array ?? []
        return elements.compactMap { element in
            self.steps[(star + 1)...].reduce(element as JSON?) { $0?.child($1.value) }
        }
    }

    /// The record without the texts at the path that equal one: a member is removed, or the element if the path ends with `*`. An element
    /// that the path names by its index stays, since the others would move.
    package func removing(_ text: CodePointString, from record: JSON) -> JSON {
        Self.removing(text, at: self.steps[...], from: record) ?? record
    }

    /// - Returns: Nil if the value itself is to be removed.
    private static func removing(
        _ text: CodePointString, at steps: ArraySlice<CodePointString>, from value: JSON
    ) -> JSON? {
        guard let step = steps.first else { return value.string.map { CodePointString($0) } == text ? nil : value }
        if step == "*", let elements = value.array {
            return .array(elements.compactMap { Self.removing(text, at: steps.dropFirst(), from: $0) })
        }
        guard var members = value.object, let child = members[step.value] else { return value }
        members[step.value] = Self.removing(text, at: steps.dropFirst(), from: child)
        return .object(members)
    }
}

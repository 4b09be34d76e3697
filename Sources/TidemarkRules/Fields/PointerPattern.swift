public import TidemarkJSON

/// A JSON pointer in which `*` matches one step.
public struct PointerPattern: Hashable, Sendable, CustomStringConvertible {
    private let pointer: JSONPointer

    /// The steps of the pointer, parsed once for many paths.
    private let steps: [String]

    /// Reads a pattern, such as `/lines/*/amount`.
    public init(_ text: String) throws(TidemarkError) {
        do {
            self.pointer = try JSONPointer(parsing: text)
        } catch {
            throw TidemarkError(
                .invalidName,
                "“\(text)” is not a field pattern: \(error.message). Write it as “/tags” or “/lines/*/amount”.",
                cause: error)
        }
        self.steps = self.pointer.tokens
    }

    /// The pattern, as it was written.
    public var description: String { self.pointer.description }

    /// Whether the pattern matches this path.
    public func matches(_ path: JSONPointer) -> Bool {
        self.steps.count == path.depth && self.agrees(with: path)
    }

    /// Whether a record has a value at a path of the pattern.
    package func matches(aValueOf record: JSON) -> Bool {
        var values = [record]
        for step in self.steps {
            values = values.flatMap { (value) -> [JSON] in
                guard step == "*" else { return value.child(step).map { [$0] } ?? [] }
                return value.array ?? value.object?.map(\.value) ?? []
            }
        }
        return !values.isEmpty
    }

    /// Whether the pattern matches a path below this path.
    func reachesBelow(_ path: JSONPointer) -> Bool {
        self.steps.count > path.depth && self.agrees(with: path)
    }

    /// Whether both agree in the steps that both have.
    private func agrees(with path: JSONPointer) -> Bool {
        zip(self.steps, path.tokens).allSatisfy {
            $0 == "*" || CodePointString($0) == CodePointString($1)
        }
    }
}

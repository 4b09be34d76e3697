public import TidemarkJSON

/// The rules of a collection, by pointer pattern; the first that matches decides (SPEC §4).
///
/// ```swift
/// let rules = try FieldRules([("/price", .server), ("/lines/*/amount", .client)])
/// ```
public struct FieldRules: Sendable {
    /// One pattern and its rule.
    public struct Entry: Sendable {
        /// Which fields.
        public var pattern: PointerPattern

        /// What decides them.
        public var rule: any FieldRule
    }

    /// The rules, the first to match first.
    public var entries: [Entry]

    /// No rules: the local change goes over the server's.
    public init() {
        self.entries = []
    }

    /// Makes rules from patterns.
    ///
    /// - Throws: ``TidemarkError/Code/invalidName`` when a pattern is not a JSON pointer.
    public init(_ rules: [(String, any FieldRule)]) throws(TidemarkError) {
        self.entries = []
        for (pattern, rule) in rules {
            self.entries.append(Entry(pattern: try PointerPattern(pattern), rule: rule))
        }
    }

    /// What decides a field; nil when no rule matches it.
    public func decision(at path: JSONPointer) -> FieldDecision? {
        guard let entry = self.entries.first(where: { $0.pattern.matches(path) }) else { return nil }
        return entry.rule.decide
    }
}

/// A JSON pointer in which `*` stands for one step.
public struct PointerPattern: Hashable, Sendable, CustomStringConvertible {
    private let pointer: JSONPointer

    /// Reads a pattern, such as `/lines/*/amount`.
    public init(_ text: String) throws(TidemarkError) {
        do {
            self.pointer = try JSONPointer(parsing: text)
        } catch {
            throw TidemarkError(
                .invalidName,
                "\"\(text)\" is not a field pattern: \(error.message). Write it as \"/tags\" or \"/lines/*/amount\".",
                cause: error)
        }
    }

    /// The pattern, as it was written.
    public var description: String { self.pointer.description }

    /// Whether the pattern stands for this path.
    public func matches(_ path: JSONPointer) -> Bool {
        self.pointer.tokens.count == path.tokens.count
            && zip(self.pointer.tokens, path.tokens).allSatisfy {
                $0 == "*" || CodePointString($0) == CodePointString($1)
            }
    }
}

/// One command of the tool: its arguments, its help, and its action.
///
/// To add one, make a type in a separate file and name it in ``Commands/sections``.
protocol Command: SendableMetatype {
    /// The name as it is typed: one word, or two (`json check`).
    static var name: String { get }

    /// One line about it, for the list of commands.
    static var summary: String { get }

    /// The positional arguments, in order; none by default.
    static var parameters: [Parameter] { get }

    /// None by default.
    static var options: [Option] { get }

    /// A whole command line that works, to copy.
    static var example: String { get }

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus
}

extension Command {
    static var parameters: [Parameter] { [] }
    static var options: [Option] { [] }
}

/// A positional argument of a command.
struct Parameter: Sendable {
    /// How often the argument can be given.
    enum Number: Sendable {
        case once, atMostOnce, anyTimes
    }

    var name: String
    var number: Number
    var kind: WordKind

    /// The name of a collection.
    static let collection = Self.required("COLLECTION", .collection)

    /// An argument that must be given.
    static func required(_ name: String, _ kind: WordKind = .text) -> Parameter {
        Parameter(name: name, number: .once, kind: kind)
    }

    /// An argument that can be left out.
    static func optional(_ name: String, _ kind: WordKind = .text) -> Parameter {
        Parameter(name: name, number: .atMostOnce, kind: kind)
    }

    /// An argument that can be repeated, or left out; the last parameter only.
    static func repeated(_ name: String, _ kind: WordKind = .text) -> Parameter {
        Parameter(name: name, number: .anyTimes, kind: kind)
    }

    /// The text for the usage line.
    var usage: String {
        switch self.number {
        case .once: self.name
        case .atMostOnce: "[\(self.name)]"
        case .anyTimes: "[\(self.name) …]"
        }
    }
}

/// An option of a command.
struct Option: Sendable {
    /// The name, with its two dashes.
    var name: String

    /// The name of the value in the usage line; nil for an option without a value.
    var value: String?

    /// One line about it.
    var summary: String

    /// Whether the option must be given.
    var isRequired = false

    /// Whether the option can be given more than once.
    var isRepeated = false

    var kind = WordKind.text

    /// The store that most commands work on.
    static let store = Option(
        name: "--store", value: "FILE", summary: "the store: a SQLite file", isRequired: true, kind: .store)

    /// Prints results for programs.
    static let json = Option(name: "--json", summary: "print JSON, one object per line")

    var words: String { self.value.map { "\(self.name) \($0)" } ?? self.name }

    /// The text for the usage line.
    var usage: String {
        let text = self.words
        return self.isRequired ? text : "[\(text)]\(self.isRepeated ? "…" : "")"
    }
}

extension Command {
    /// The usage line.
    static var usage: String {
        let required = Self.options.filter(\.isRequired).map(\.usage)
        let others = Self.options.filter { !$0.isRequired }.map(\.usage)
        return (["tidemark \(Self.name)"] + required + Self.parameters.map(\.usage) + others).joined(separator: " ")
    }
}

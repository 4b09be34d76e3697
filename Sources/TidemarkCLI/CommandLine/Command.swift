/// One command of the tool: what may be typed, and what it does.
///
/// To add one, make a type in a file of its own and name it in ``Commands/all``.
protocol Command: SendableMetatype {
    /// What is typed: one word, or two (`json check`).
    static var name: String { get }

    /// One line about it, for the list of commands.
    static var summary: String { get }

    /// What it takes besides options, in order.
    static var parameters: [Parameter] { get }

    /// The options it knows.
    static var options: [Option] { get }

    /// A whole line that works, to copy from.
    static var example: String { get }

    /// Does it.
    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus
}

/// Something that a command takes in a fixed place.
struct Parameter: Sendable {
    /// How often it comes.
    enum Number: Sendable {
        case once, atMostOnce, anyTimes
    }

    var name: String
    var number: Number
    var kind: WordKind

    /// The name of a collection.
    static let collection = Self.required("COLLECTION", .collection)

    /// It has to be there.
    static func required(_ name: String, _ kind: WordKind = .text) -> Parameter {
        Parameter(name: name, number: .once, kind: kind)
    }

    /// It may be left out.
    static func optional(_ name: String, _ kind: WordKind = .text) -> Parameter {
        Parameter(name: name, number: .atMostOnce, kind: kind)
    }

    /// As many as one likes; the last parameter only.
    static func repeated(_ name: String, _ kind: WordKind = .text) -> Parameter {
        Parameter(name: name, number: .anyTimes, kind: kind)
    }

    /// As it stands in the usage.
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
    /// With its two dashes.
    var name: String

    /// What its value is called in the usage; nil for an option without one.
    var value: String?

    /// One line about it.
    var summary: String

    /// Whether the command can't do without.
    var isRequired = false

    /// Whether it may be given more than once.
    var isRepeated = false

    /// What its value is.
    var kind = WordKind.text

    /// The file that most commands work on.
    static let store = Option(
        name: "--store", value: "FILE", summary: "the store: a SQLite file", isRequired: true, kind: .store)

    /// Results for programs.
    static let json = Option(name: "--json", summary: "print JSON, one object a line")

    /// As it is typed: its name, and what its value is called.
    var words: String { self.value.map { "\(self.name) \($0)" } ?? self.name }

    /// As it stands in the usage.
    var usage: String {
        let text = self.words
        return self.isRequired ? text : "[\(text)]\(self.isRepeated ? "…" : "")"
    }
}

extension Command {
    /// The line that says what can be typed.
    static var usage: String {
        let required = Self.options.filter(\.isRequired).map(\.usage)
        let others = Self.options.filter { !$0.isRequired }.map(\.usage)
        return (["tidemark \(Self.name)"] + required + Self.parameters.map(\.usage) + others).joined(separator: " ")
    }
}

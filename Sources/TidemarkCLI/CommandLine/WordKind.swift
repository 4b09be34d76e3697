/// The kind of an argument: it decides the completions of a shell, and the checks before a command starts.
enum WordKind: Hashable, Sendable {
    /// Any text.
    case text

    /// The name of a collection; not empty.
    case collection

    /// A file to read; `-` is standard input.
    case file

    /// The file of a store; not empty.
    case store

    /// JSON text; `-` is standard input.
    case json

    /// One of the commands.
    case command

    /// One of the given words.
    case choice([String])

    /// Whether `-` is standard input for this kind.
    var readsInput: Bool {
        switch self {
        case .file, .json: true
        case .text, .collection, .store, .command, .choice: false
        }
    }

    /// Whether an empty argument is an error for this kind.
    var hasContent: Bool {
        switch self {
        case .collection, .store: true
        case .text, .file, .json, .command, .choice: false
        }
    }
}

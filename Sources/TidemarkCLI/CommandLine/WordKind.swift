/// What a word stands for: what a shell offers for it, and what is looked at before a command begins.
enum WordKind: Hashable, Sendable {
    /// Any text.
    case text

    /// The name of a collection; it can't be empty.
    case collection

    /// A file that is read; `-` is standard input.
    case file

    /// The file of a store; it can't be empty.
    case store

    /// JSON that is typed; `-` is standard input.
    case json

    /// One of the commands.
    case command

    /// One of these words.
    case choice([String])

    /// Whether `-` is standard input there.
    var readsInput: Bool {
        switch self {
        case .file, .json: true
        case .text, .collection, .store, .command, .choice: false
        }
    }

    /// Whether an empty word says nothing there.
    var hasContent: Bool {
        switch self {
        case .collection, .store: true
        case .text, .file, .json, .command, .choice: false
        }
    }
}

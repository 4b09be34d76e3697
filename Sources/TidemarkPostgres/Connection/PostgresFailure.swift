/// A failure that the database reports, with its message.
struct PostgresFailure: Error {
    /// The SQLSTATE; empty if there was no answer.
    var state: String
    /// The message of the database or of libpq, on one line.
    var message: String
    /// True if the connection can't be used any more.
    var isLost: Bool
    /// True if later statements of the same pipeline were skipped because of it.
    var hasStopped = false

    init(state: String, message: String, isLost: Bool) {
        self.state = state
        let words = message.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        self.message = words.map { String($0) }.joined(separator: " ")
        self.isLost = isLost || Self.isOver(state)
    }

    /// Whether the database reported it in place of a statement's result, so that it has not begun a later statement. Libpq
    /// reports a broken connection without a state, and a proxy between here and the database with one of the class 08: then the
    /// later statements may have been carried out.
    var isOfStatement: Bool { !self.state.isEmpty && !self.state.utf8.starts(with: "08".utf8) }

    /// Whether the database is shutting down, closes the connection, or is read-only because another one took its place.
    private static func isOver(_ state: String) -> Bool {
        state.utf8.starts(with: "08".utf8) || ["57P01", "57P02", "57P03", "57P05", "25006", "25P03"].contains(state)
    }
}

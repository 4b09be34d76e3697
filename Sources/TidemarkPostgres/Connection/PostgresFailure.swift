/// Why the database did not do it, in its own words.
struct PostgresFailure: Error {
    /// The SQLSTATE; empty where there was no answer.
    var state: String
    /// What the database, or libpq, says; several lines as one.
    var message: String
    /// True where the connection is of no use any more.
    var isLost: Bool
    /// True where what was sent together with it, and behind it, was not carried out for that.
    var hasStopped = false

    init(state: String, message: String, isLost: Bool) {
        self.state = state
        let words = message.unicodeScalars.split(whereSeparator: \.properties.isWhitespace)
        self.message = words.map { String($0) }.joined(separator: " ")
        self.isLost = isLost || Self.isOver(state)
    }

    /// Whether whoever says this goes away, or may only be read: it was put to sleep, or another one has taken its place.
    private static func isOver(_ state: String) -> Bool {
        state.utf8.starts(with: "08".utf8) || ["57P01", "57P02", "57P03", "57P05", "25006", "25P03"].contains(state)
    }
}

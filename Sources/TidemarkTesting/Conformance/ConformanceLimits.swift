/// The limits of the data that a check reads and of the time that it waits, several times what the checks themselves need. The
/// server may be broken or hostile, so its answers must not decide how long a check runs or how much memory it uses.
enum ConformanceLimits {
    /// The most pages until the feed ends. The checks write at most 100 records to a collection, and a server may send one on
    /// each page.
    static let pages = 200

    /// The most consecutive pages without a row that declare that there are more (I8).
    static let emptyPages = 3

    /// The most rows or results of one answer, and of all pages until the feed ends together.
    static let rows = 1_000

    /// The largest cursor, epoch or account name, in bytes: the checks send cursors back.
    static let cursorSize = 4_096

    /// The most hints and heartbeats from one connection.
    static let hints = 1_000

    /// The time limit of one answer, from the request to its last byte.
    static let answer = Duration.seconds(30)

    /// The time limit of a hint.
    static let hint = Duration.seconds(20)

    /// The time limit of all checks together, unless the caller sets another one.
    static let run = Duration.seconds(600)

    /// The time for deleting the checks' records, if less of the run's time is left.
    static let tidying = Duration.seconds(30)

    /// The most lines of evidence that a check keeps: the last ones.
    static let evidence = 100

    /// The most characters of a line of evidence, or of a value in a message.
    static let text = 1_000
}

extension String {
    /// The text, shortened if it is longer than a message needs.
    var cutForEvidence: String {
        self.utf8.count <= ConformanceLimits.text ? self : "\(self.prefix(ConformanceLimits.text))…"
    }
}

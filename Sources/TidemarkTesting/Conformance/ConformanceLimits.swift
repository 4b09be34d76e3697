/// How much a check reads from a server before it fails, several times what the checks themselves write, and how long it
/// waits. A server that is checked may be broken or hostile, so nothing that it sends decides how long a check runs or how
/// much memory it uses.
enum ConformanceLimits {
    /// How many pages a check reads until the feed ends. The checks write at most 100 records to a collection, and a server
    /// may send one on each page.
    static let pages = 200

    /// How many pages in a row may bring no row and yet say that there are more (I8).
    static let emptyPages = 3

    /// How many rows or results one answer has at most, and all pages until the feed ends together.
    static let rows = 1_000

    /// How many bytes a watermark, an epoch or the name of an account has at most: the checks send watermarks back.
    static let watermarkSize = 4_096

    /// How many hints and heartbeats a check takes from one connection.
    static let hints = 1_000

    /// How long one answer may take, from the request to its last byte.
    static let answer = Duration.seconds(30)

    /// How long a hint may take.
    static let hint = Duration.seconds(20)

    /// How long all checks together may take, unless the caller says otherwise.
    static let run = Duration.seconds(600)

    /// How long deleting what the checks made may take where less of the run's time is left.
    static let tidying = Duration.seconds(30)

    /// How many lines of evidence a check keeps: the last ones.
    static let evidence = 100

    /// How many characters a line of evidence, or a value in a message, has at most.
    static let text = 1_000
}

extension String {
    /// The text, cut where it is longer than a message needs.
    var cutForEvidence: String {
        self.utf8.count <= ConformanceLimits.text ? self : "\(self.prefix(ConformanceLimits.text))…"
    }
}

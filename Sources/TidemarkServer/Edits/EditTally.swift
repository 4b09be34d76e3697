/// Counts of edits by outcome.
struct EditTally: Sendable {
    var accepted = 0
    var conflicted = 0
    var refused = 0
    /// Answered with their earlier answer (W4).
    var repeated = 0
    /// Without room in the answer, to be sent again.
    var postponed = 0

    mutating func add(_ other: EditTally) {
        self.accepted += other.accepted
        self.conflicted += other.conflicted
        self.refused += other.refused
        self.repeated += other.repeated
        self.postponed += other.postponed
    }

    /// All counts with their names.
    var all: [(outcome: String, count: Int)] {
        [
            ("accepted", self.accepted), ("conflicted", self.conflicted), ("refused", self.refused),
            ("repeated", self.repeated), ("postponed", self.postponed),
        ]
    }
}

/// What became of edits, counted.
struct EditTally: Sendable {
    var accepted = 0
    var conflicted = 0
    var refused = 0
    /// Answered as they were before (W4).
    var repeated = 0
    /// Without room in their answer, to be sent again.
    var postponed = 0

    mutating func add(_ other: EditTally) {
        self.accepted += other.accepted
        self.conflicted += other.conflicted
        self.refused += other.refused
        self.repeated += other.repeated
        self.postponed += other.postponed
    }

    /// Each with its name.
    var all: [(outcome: String, count: Int)] {
        [
            ("accepted", self.accepted), ("conflicted", self.conflicted), ("refused", self.refused),
            ("repeated", self.repeated), ("postponed", self.postponed),
        ]
    }
}

/// The edits that the servers acknowledged, and the problems that were found.
actor Ledger {
    /// A change of a record: a member that is added to it.
    struct Mark: Hashable, Sendable {
        var pk: String
        var name: String
    }

    private(set) var accepted: [Feed: Set<Mark>] = [:]
    private var versions: [Feed: [Int: Mark]] = [:]
    private var newest: [Feed: Int] = [:]
    private(set) var problems: [String] = []
    private(set) var conflicts = 0
    private(set) var unanswered = 0
    private(set) var pages = 0

    var count: Int { self.accepted.values.reduce(0) { $0 + $1.count } }

    /// The highest version of a feed in any answer so far.
    func newest(in feed: Feed) -> Int { self.newest[feed] ?? 0 }

    /// Records an accepted edit.
    ///
    /// - Parameter floor: A version from an answer before the edit was sent; nil if the edit was sent more than once. The
    ///   repeated answer may contain later changes of a large row by others (W4), and then the version is theirs.
    func accept(_ mark: Mark, at version: Int, above floor: Int?, in feed: Feed) {
        if let floor {
            if let other = self.versions[feed, default: [:]].updateValue(mark, forKey: version) {
                self.problems.append("version \(version) of \(feed) was assigned to \(other) and to \(mark)")
            }
            if version <= floor {
                self.problems.append("\(mark) of \(feed) got \(version), after an answer with \(floor)")
            }
        }
        self.newest[feed] = max(self.newest(in: feed), version)
        self.accepted[feed, default: []].insert(mark)
    }

    func noteConflict() { self.conflicts += 1 }

    func noteUnanswered() { self.unanswered += 1 }

    func notePage() { self.pages += 1 }

    func complain(_ problem: String) { self.problems.append(problem) }
}

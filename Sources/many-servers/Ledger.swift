/// What the servers said that they did, and what is wrong with it.
actor Ledger {
    /// A change of a record: a member that it has from then on.
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

    /// The highest version that was answered in a feed so far.
    func newest(in feed: Feed) -> Int { self.newest[feed] ?? 0 }

    /// An edit was accepted.
    ///
    /// - Parameter floor: A version that had been answered before the edit was sent; nil where it was sent more than once. Such
    ///   an answer may show what others made of a large row since (W4), and then the version is theirs.
    func accept(_ mark: Mark, at version: Int, above floor: Int?, in feed: Feed) {
        if let floor {
            if let other = self.versions[feed, default: [:]].updateValue(mark, forKey: version) {
                self.problems.append("version \(version) of \(feed) was given to \(other) and to \(mark)")
            }
            if version <= floor {
                self.problems.append("\(mark) of \(feed) got \(version), after \(floor) had been answered")
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

/// A pointer while it is walked.
struct Steps {
    let tokens: [String]
    private var depth = 0

    init(tokens: [String]) {
        self.tokens = tokens
    }

    /// The step that is taken next.
    var token: String { self.tokens[self.depth] }

    var isLast: Bool { self.depth + 1 == self.tokens.count }

    /// Where the walk stands: the steps already taken.
    var here: ArraySlice<String> { self.tokens.prefix(self.depth) }

    /// What the next step leads to.
    var there: ArraySlice<String> { self.tokens.prefix(self.depth + 1) }

    var next: Steps {
        var next = self
        next.depth += 1
        return next
    }
}

/// A pointer with a position in it.
struct Steps {
    let tokens: [String]
    private var depth = 0

    init(tokens: [String]) {
        self.tokens = tokens
    }

    /// The next step.
    var token: String { self.tokens[self.depth] }

    var isLast: Bool { self.depth + 1 == self.tokens.count }

    /// The steps already taken.
    var here: ArraySlice<String> { self.tokens.prefix(self.depth) }

    /// The steps including the next one.
    var there: ArraySlice<String> { self.tokens.prefix(self.depth + 1) }

    var next: Steps {
        var next = self
        next.depth += 1
        return next
    }
}

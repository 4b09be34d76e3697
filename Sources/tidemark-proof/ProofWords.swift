/// The arguments of `tidemark-proof explore` or `tidemark-proof simulate`: options, with or without a value.
struct ProofWords {
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// Sorts the words.
    ///
    /// - Parameters:
    ///   - options: The options with a value.
    ///   - flags: The options without a value.
    init(_ words: some Sequence<String>, options: Set<String>, flags: Set<String>) throws(ProofUsage) {
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if flags.contains(word) {
                self.flags.insert(word)
            } else if options.contains(word) {
                guard let value = rest.popFirst() else { throw ProofUsage("\(word) needs a value") }
                self.values[word] = value
            } else {
                let known = options.union(flags).sorted().joined(separator: ", ")
                throw ProofUsage("“\(word)” is not an option; the options are \(known)")
            }
        }
    }

    /// Whether an option was given.
    func has(_ name: String) -> Bool { self.flags.contains(name) || self.values[name] != nil }

    /// The value of an option; nil if it was not given.
    func value(_ name: String) -> String? { self.values[name] }

    /// The whole number of an option; nil if it was not given.
    func number(_ name: String) throws(ProofUsage) -> Int? {
        guard let text = self.values[name] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw ProofUsage("\(name) \(text) is not a whole number above 0")
        }
        return number
    }

    /// The seeds of `--seed` or `--seeds`.
    func seeds(default range: ClosedRange<UInt64>) throws(ProofUsage) -> ClosedRange<UInt64> {
        if let text = self.value("--seed") {
            guard !self.has("--seeds") else { throw ProofUsage("--seed and --seeds exclude each other") }
            guard let seed = UInt64(text) else { throw ProofUsage("--seed \(text) is not a whole number from 0 on") }
            return seed...seed
        }
        guard let text = self.value("--seeds") else { return range }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let ends = parts.map { UInt64(Substring($0)) }
        guard ends.count == 3, parts[1].isEmpty, case (let first?, let last?) = (ends[0], ends[2]), first <= last
        else { throw ProofUsage("--seeds \(text) is not a range of seeds; write it as 1..100") }
        return first...last
    }
}

/// A usage error, with the reason.
struct ProofUsage: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

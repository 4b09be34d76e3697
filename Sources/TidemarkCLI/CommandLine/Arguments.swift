/// The arguments of a command, checked against its parameters and options.
struct Arguments: Sendable {
    let command: any Command.Type
    private(set) var positions: [String] = []
    private var values: [String: [String]] = [:]

    /// Sorts the arguments into options and positions.
    ///
    /// - Throws: ``UsageError`` for an option that is unknown, given twice or without its value, and for too few or
    ///   too many arguments.
    init(_ words: some Sequence<String>, for command: any Command.Type) throws(UsageError) {
        self.command = command
        var rest = Array(words)[...]
        while let word = rest.popFirst() {
            if word == "--" {
                self.positions += rest
                break
            }
            if Self.isOption(word) {
                try self.take(option: word, &rest)
            } else {
                self.positions.append(word)
            }
        }
        try self.checkNumbers()
        try self.checkKinds()
    }

    /// Whether an option was given, with or without a value.
    func has(_ option: Option) -> Bool { self.values[option.name] != nil }

    /// The value of an option; nil when it was not given.
    func value(_ option: Option) -> String? { self.values[option.name]?.last }

    /// All values of an option that may be repeated.
    func all(_ option: Option) -> [String] { self.values[option.name] ?? [] }

    func required(_ option: Option) throws(UsageError) -> String {
        guard let value = self.value(option) else { throw UsageError("\(option.usage) is missing", for: self.command) }
        return value
    }

    /// The argument at a position; nil when it was left out.
    func position(_ place: Int) -> String? {
        self.positions.indices.contains(place) ? self.positions[place] : nil
    }

    func required(_ place: Int) throws(UsageError) -> String {
        guard let word = self.position(place) else {
            let name =
                self.command.parameters.indices.contains(place) ? self.command.parameters[place].name : "an argument"
            throw UsageError("\(name) is missing", for: self.command)
        }
        return word
    }

    /// A dash alone is standard input, and `-1` is JSON: neither is an option.
    private static func isOption(_ word: String) -> Bool {
        let bytes = Array(word.utf8.prefix(2))
        guard bytes.count == 2, bytes[0] == UInt8(ascii: "-") else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[1])
    }

    private mutating func take(option word: String, _ rest: inout ArraySlice<String>) throws(UsageError) {
        let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard let option = self.command.options.first(where: { $0.name == parts[0] }) else {
            throw UsageError(unknownOption: parts[0], for: self.command)
        }
        guard option.isRepeated || self.values[option.name] == nil else {
            throw UsageError("\(option.name) is given twice", for: self.command)
        }
        guard let name = option.value else {
            guard parts.count == 1 else { throw UsageError("\(option.name) takes no value", for: self.command) }
            self.values[option.name] = [""]
            return
        }
        let value: String? = parts.count > 1 ? parts[1] : rest.popFirst()
        guard let value else {
            throw UsageError("\(option.name) needs a value: \(option.name) \(name)", for: self.command)
        }
        guard parts.count > 1 || !self.command.options.contains(where: { $0.name == value }) else {
            throw UsageError("\(option.name) needs a value, and \(value) is an option", for: self.command)
        }
        self.values[option.name, default: []].append(value)
    }

    /// Standard input can be read once only, and some arguments can't be empty.
    private func checkKinds() throws(UsageError) {
        let last = self.command.parameters.last
        var words: [(name: String, word: String, kind: WordKind)] = []
        for (place, word) in self.positions.enumerated() {
            let parameter = place < self.command.parameters.count ? self.command.parameters[place] : last
            if let parameter { words.append((parameter.name, word, parameter.kind)) }
        }
        for option in self.command.options {
            words += self.all(option).map { (option.name, $0, option.kind) }
        }
        if let empty = words.first(where: { $0.word.isEmpty && $0.kind.hasContent }) {
            throw UsageError("\(empty.name) is empty; it needs a name", for: self.command)
        }
        guard words.filter({ $0.word == "-" && $0.kind.readsInput }).count < 2 else {
            throw UsageError(
                "- is standard input, which can be read once only; name a file for the other argument",
                for: self.command)
        }
    }

    private func checkNumbers() throws(UsageError) {
        for option in self.command.options where option.isRequired { _ = try self.required(option) }
        for (place, parameter) in self.command.parameters.enumerated() where parameter.number == .once {
            _ = try self.required(place)
        }
        guard self.command.parameters.last?.number != .anyTimes else { return }
        if let extra = self.position(self.command.parameters.count) {
            throw UsageError("“\(extra)” is one argument too many; put quotes around JSON", for: self.command)
        }
    }
}

import TidemarkJSON
import TidemarkMachine

/// Reads a condition as text in one pass.
struct ConditionReader {
    typealias Node = RecordQuery.Condition.Node

    private let bytes: [UInt8]
    private var place = 0

    /// The number of open parentheses, and of “not” before the present place.
    private var depth = 0

    /// The maximum length of a text, in bytes.
    private static let longest = 1 << 20

    /// The maximum nesting: each level is a frame on the stack.
    private static let deepest = 64

    private static let firstWords = ["not", "pending", "held", "state", "all"]
    private static let operators =
        RecordQuery.Condition.Comparison.allCases.map(\.rawValue)
        + ["!=", "in", "startsWith", "contains", "containsIgnoringCase", "exists", "missing"]

    /// Names of other languages, and the ones that are meant.
    private static let foreign = [
        "==": "=", "===": "=", "<>": "!=", "!==": "!=", "=<": "<=", "=>": ">=", "&&": "and", "&": "and", "||": "or",
        "|": "or",
        "!": "not",
    ]

    init(_ text: String) {
        self.bytes = Array(text.utf8)
    }

    /// The condition of the whole text.
    mutating func condition() throws(TidemarkError) -> Node {
        guard self.bytes.count <= Self.longest else {
            throw TidemarkError(
                .invalidQuery,
                "The condition has \(self.bytes.count) bytes, and \(Self.longest) are possible. Write a shorter one.")
        }
        let node = try self.alternatives()
        guard let extra = self.next else { return node }
        guard extra != UInt8(ascii: ")") else {
            throw self.error("“)” has no “(” before it; remove it", at: self.place)
        }
        let start = self.place
        let word = self.word()
        throw self.error(
            "“\(Self.shown(word))” is here instead of “and”, “or” or the end; \(Self.hint(word, among: ["and", "or"]))",
            at: start)
    }

    private mutating func alternatives() throws(TidemarkError) -> Node {
        var nodes: [Node] = []
        repeat {
            let node = try self.conjunction()
            if case .or(let parts) = node { nodes += parts } else { nodes.append(node) }
        } while self.skip("or")
        return nodes.count == 1 ? nodes[0] : .or(nodes)
    }

    private mutating func conjunction() throws(TidemarkError) -> Node {
        var nodes: [Node] = []
        repeat {
            let node = try self.term()
            if case .and(let parts) = node { nodes += parts } else { nodes.append(node) }
        } while self.skip("and")
        return nodes.count == 1 ? nodes[0] : .and(nodes)
    }

    private mutating func term() throws(TidemarkError) -> Node {
        let next = self.next
        let start = self.place
        switch next {
        case nil:
            throw self.error(
                "a condition is missing; write one, such as /done = false, or all for every record", at: start)
        case UInt8(ascii: "("):
            self.place += 1
            let node = try self.nested { (reader) throws(TidemarkError) in try reader.alternatives() }
            guard self.next == UInt8(ascii: ")") else {
                guard self.next == nil else {
                    let word = self.peeked()
                    throw self.error(
                        "“\(Self.shown(word))” is here instead of “and”, “or” or “)”; \(Self.hint(word, among: ["and", "or"]))",
                        at: self.place)
                }
                throw self.error("the “(” at column \(start + 1) has no “)”; add it", at: self.place)
            }
            self.place += 1
            return node
        case UInt8(ascii: "/"), UInt8(ascii: "\""): return try self.comparison(try self.path())
        default: break
        }
        switch self.word() {
        case "not":
            let node = try self.nested { (reader) throws(TidemarkError) in try reader.term() }
            return (!RecordQuery.Condition(node)).node
        case "pending": return RecordQuery.Condition.pending.node
        case "held": return .held
        case "all": return .and([])
        case "state": return try self.state()
        case let word:
            let isMember = Self.operators.contains(self.peeked()) || Self.foreign[self.peeked()] != nil
            let hint =
                isMember ? "did you mean the path /\(Self.shown(word))?" : Self.hint(word, among: Self.firstWords)
            throw self.error(
                "“\(Self.shown(word))” begins no condition: write a path, such as /done; \(hint)", at: start)
        }
    }

    private mutating func nested(
        _ read: (inout ConditionReader) throws(TidemarkError) -> Node
    ) throws(TidemarkError) -> Node {
        self.depth += 1
        guard self.depth <= Self.deepest else {
            throw self.error("there are more than \(Self.deepest) levels of “(” and “not”; remove some", at: self.place)
        }
        let node = try read(&self)
        self.depth -= 1
        return node
    }

    private mutating func state() throws(TidemarkError) -> Node {
        _ = self.next
        let start = self.place
        let word = self.word()
        // SYNCED is accepted for SYNCD (Contract §1).
        guard let state = SyncState(rawValue: word == "SYNCED" ? SyncState.synced.rawValue : word) else {
            let hint = NearestName.hint(for: Self.shown(word), among: SyncState.allCases.map(\.rawValue))
            throw self.error("“state” needs a state, and “\(Self.shown(word))” is not a state; \(hint)", at: start)
        }
        return .states([state])
    }

    // MARK: Comparisons

    /// A path: up to a space, or a JSON string.
    private mutating func path() throws(TidemarkError) -> String {
        let start = self.place
        var text: String
        if self.bytes[start] == UInt8(ascii: "\"") {
            text = try self.value(after: "").string ?? ""
        } else {
            while let byte = self.byte, !Self.isSpace(byte) { self.place += 1 }
            text = String(decoding: self.bytes[start..<self.place], as: UTF8.self)
        }
        // To find line and column of a place, the text is read up to it: for an error only.
        if (try? QueryPath(text, in: "")) == nil { _ = try QueryPath(text, in: self.error("", at: start).message) }
        return text
    }

    private mutating func comparison(_ path: String) throws(TidemarkError) -> Node {
        guard self.next != nil else {
            let isGlued = path.utf8.contains { Self.isSymbol($0) }
            throw self.error(
                "a comparison is missing after the path “\(Self.shown(path))”; "
                    + (isGlued
                        ? "put spaces around the operator, as in /done = false"
                        : "write one, such as = false or exists"),
                at: self.place)
        }
        let start = self.place
        let name = self.word()
        if let comparison = RecordQuery.Condition.Comparison(rawValue: name) {
            return .compare(path, comparison, try self.value(after: name))
        }
        switch name {
        case "!=": return .not(.compare(path, .equal, try self.value(after: name)))
        case "exists": return .exists(path)
        case "missing": return .not(.exists(path))
        case "contains": return .contains(path, try self.value(after: name), ignoringCase: false)
        case "containsIgnoringCase": return .contains(path, try self.value(after: name), ignoringCase: true)
        case "in":
            guard let values = try self.value(after: name).array else {
                throw self.error("“in” needs an array, as in /size in [\"S\", \"M\"]", at: start)
            }
            return .isIn(path, values)
        case "startsWith":
            guard let text = try self.value(after: name).string else {
                throw self.error("“startsWith” needs a text in double quotes, as in /title startsWith \"A\"", at: start)
            }
            return .startsWith(path, text)
        default:
            let shown = name.isEmpty ? String(decoding: [self.bytes[start]], as: UTF8.self) : Self.shown(name)
            throw self.error("“\(shown)” is no comparison; \(Self.hint(name, among: Self.operators))", at: start)
        }
    }

    /// Reads a JSON value.
    private mutating func value(after name: String) throws(TidemarkError) -> JSON {
        let first = self.next
        let start = self.place
        guard first != nil else {
            throw self.error("a value is missing after “\(name)”; write JSON, such as 2, true or \"text\"", at: start)
        }
        self.skipValue()
        do throws(JSONError) {
            return try JSON(parsing: self.bytes[start..<self.place])
        } catch {
            let word = String(decoding: self.bytes[start..<self.place], as: UTF8.self)
            let isText = first.map { $0 == UInt8(ascii: "'") || Self.isLetter($0) } ?? false
            guard isText else {
                throw self.error("the value is not JSON: \(error.message)", at: start + (error.byteOffset ?? 0))
            }
            throw self.error(
                "“\(Self.shown(word))” is not JSON; put a text in double quotes, as in \"text\"", at: start)
        }
    }

    /// Moves to the end of a JSON value; any text in the place of a value ends at a space or a parenthesis.
    private mutating func skipValue() {
        var open = 0
        repeat {
            switch self.byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"): open += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): open -= 1
            case UInt8(ascii: "\""):
                self.skipString()
                continue
            case let byte? where open == 0:
                if Self.isSpace(byte) || byte == UInt8(ascii: ")") { return }
                self.place += 1
                while let byte = self.byte, !Self.isSpace(byte), byte != UInt8(ascii: ")") { self.place += 1 }
                return
            default: break
            }
            self.place += 1
        } while open > 0 && self.place < self.bytes.count
        self.place = min(self.place, self.bytes.count)
    }

    private mutating func skipString() {
        self.place += 1
        while let byte = self.byte, byte != UInt8(ascii: "\"") { self.place += byte == UInt8(ascii: "\\") ? 2 : 1 }
        self.place = min(self.place + 1, self.bytes.count)
    }

    // MARK: Words

    private var byte: UInt8? { self.place < self.bytes.count ? self.bytes[self.place] : nil }

    /// The next byte that is no space.
    private var next: UInt8? {
        mutating get {
            while let byte = self.byte, Self.isSpace(byte) { self.place += 1 }
            return self.byte
        }
    }

    /// Reads the next word: letters and the like, or an operator.
    private mutating func word() -> String {
        guard let first = self.next else { return "" }
        let start = self.place
        let isSymbol = Self.isSymbol(first)
        while let byte = self.byte, Self.isSymbol(byte) == isSymbol, !Self.endsWord(byte) { self.place += 1 }
        return String(decoding: self.bytes[start..<self.place], as: UTF8.self)
    }

    private func peeked() -> String {
        var copy = self
        return copy.word()
    }

    /// Moves behind a word if it is the next one.
    private mutating func skip(_ word: String) -> Bool {
        _ = self.next
        let start = self.place
        if self.word() == word { return true }
        self.place = start
        return false
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isSymbol(_ byte: UInt8) -> Bool { "=!<>&|".utf8.contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func endsWord(_ byte: UInt8) -> Bool { Self.isSpace(byte) || "()[]{}\"/".utf8.contains(byte) }

    // MARK: Errors

    /// A text as a message shows it.
    static func shown(_ text: String) -> String {
        text.utf8.count > 60 ? "\(String(String.UnicodeScalarView(text.unicodeScalars.prefix(40))))…" : text
    }

    private static func hint(_ word: String, among known: [String]) -> String {
        if let meant = self.foreign[word] { return "did you mean \(meant)?" }
        return NearestName.hint(for: self.shown(word), among: known)
    }

    private func error(_ message: String, at place: Int) -> TidemarkError {
        let error = JSONError(.syntax, message, at: place, of: self.bytes)
        // Without a message it is the place of another error.
        guard !message.isEmpty else {
            return TidemarkError(.invalidQuery, "The condition, line \(error.line ?? 1), column \(error.column ?? 1)")
        }
        let mark = message.utf8.last == UInt8(ascii: "?") ? "" : "."
        return TidemarkError(.invalidQuery, "The condition, \(error)\(mark)", cause: error)
    }
}

public import TidemarkJSON
import TidemarkMachine

extension SyncTrace {
    /// Reads a trace from its text.
    ///
    /// - Throws: `JSONError` with the line and column of the error.
    public init(parsing text: [UInt8]) throws(JSONError) {
        self.init()
        var rest = text[...]
        var number = 0
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
            number += 1
            let line = try TraceReader(rest[..<end], number: number)
            rest = rest[min(end + 1, rest.endIndex)...]
            guard number > 1 else {
                try line.checkHeader()
                continue
            }
            self.entries.append(try line.entry(after: self.entries.last?.number))
        }
        if number == 0 {
            throw JSONError(.shape, "It is empty; a trace begins with \(Self.header).", at: 0, of: text)
        }
    }

    /// Reads a trace from its text.
    ///
    /// - Throws: `JSONError` with the line and column of the error.
    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }
}

/// Reads one line of a trace, and reports the place of an error in it.
struct TraceReader {
    private let bytes: [UInt8]
    private let number: Int
    private let json: JSON

    /// Parses a line.
    ///
    /// - Parameter number: The number of the line in the text, from 1.
    init(_ line: ArraySlice<UInt8>, number: Int) throws(JSONError) {
        self.bytes = Array(line)
        self.number = number
        do throws(JSONError) {
            self.json = try JSON(parsing: self.bytes)
        } catch {
            throw error.inLine(number)
        }
    }

    /// Checks the format and the version in the first line.
    func checkHeader() throws(JSONError) {
        guard self.json["tidemark"]?.string == "trace" else {
            throw self.error("tidemark", "This is not a trace; a trace begins with \(SyncTrace.header).")
        }
        guard let version = self.json["version"]?.int else {
            throw self.error("version", "The version of the trace is missing: \(SyncTrace.header).")
        }
        guard version == SyncTrace.version else {
            throw self.error(
                "version",
                "This trace has version \(version), and this tool reads version \(SyncTrace.version): "
                    + "use the tool of the version that wrote it.")
        }
    }

    /// Returns the entry of the line.
    ///
    /// - Parameter last: The number of the previous entry.
    func entry(after last: Int64?) throws(JSONError) -> SyncTrace.Entry {
        guard let number = self.json["n"]?.int, number > 0 else {
            throw self.error("n", "“n” has to be a whole number from 1.")
        }
        if let last, number <= last {
            throw self.error("n", "Number \(number) follows number \(last): the lines are in another order.")
        }
        return SyncTrace.Entry(number: Int64(number), step: try self.step())
    }

    private func step() throws(JSONError) -> SyncTrace.Step {
        let collection = try self.string("collection")
        switch try self.word("of", SyncTrace.Subject.self) {
        case .store:
            switch try self.word("event", SyncTrace.StoreEvent.self) {
            case .opened: return .opened(collection: collection)
            case .forgotten: return .forgotten(collection: collection)
            }
        case .record:
            return .record(
                RecordTrace(
                    collection: collection, pk: try self.string("pk"), event: try self.word("event"),
                    source: try self.phase("from"), target: try self.phase("to"),
                    actions: try self.actions(\.name)))
        case .exchange:
            return .exchange(
                ExchangeTrace(
                    collection: collection, event: try self.word("event"), source: try self.word("from"),
                    target: try self.word("to"),
                    actions: try self.actions(\.name),
                    failure: self.json["failure"] == nil ? nil : try self.word("failure"), time: try self.time()))
        }
    }

    // MARK: Members

    private func string(_ member: String) throws(JSONError) -> String {
        guard let text = self.json[member]?.string else { throw self.error(member, "“\(member)” has to be a text.") }
        return text
    }

    private func word<Word: RawRepresentable<String>>(
        _ member: String, _ type: Word.Type = Word.self
    ) throws(JSONError) -> Word {
        let text = try self.string(member)
        guard let word = Word(rawValue: text) else { throw self.unknown(text, member) }
        return word
    }

    private func phase(_ member: String) throws(JSONError) -> RecordPhase {
        let text = try self.string(member)
        guard let phase = RecordPhase(text) else { throw self.unknown(text, member) }
        return phase
    }

    private func actions<Action>(_ name: (Action) -> String) throws(JSONError) -> ActionSet<Action> {
        guard let list = self.json["actions"]?.array else {
            throw self.error("actions", "“actions” has to be a list of names.")
        }
        var actions: ActionSet<Action> = []
        for item in list {
            let text = item.string
            guard let action = Action.allCases.first(where: { name($0) == text }) else {
                throw self.unknown(text ?? item.text, "actions")
            }
            actions.insert(ActionSet(action))
        }
        return actions
    }

    private func time() throws(JSONError) -> Duration? {
        guard let json = self.json["at"] else { return nil }
        // A value of more than 64 bits of microseconds is not a time of a clock.
        guard let milliseconds = json.int, milliseconds.magnitude < 1 << 50 else {
            throw self.error("at", "“at” has to be a number of milliseconds since 1970.")
        }
        return .milliseconds(milliseconds)
    }

    // MARK: Errors

    private func unknown(_ word: String, _ member: String) -> JSONError {
        self.error(member, "“\(word.prefix(64))” is not a known “\(member)”.")
    }

    private func error(_ member: String, _ message: String) -> JSONError {
        let place = TextPlaces(of: self.bytes).value(JSONPointer.root.appending(member))
        return JSONError(.shape, message, at: place, of: self.bytes).inLine(self.number)
    }
}

extension JSONError {
    /// This error, with the place of a line in a longer text.
    fileprivate func inLine(_ number: Int) -> JSONError {
        var copy = self
        copy.line = number
        copy.byteOffset = nil
        return copy
    }
}

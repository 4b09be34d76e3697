import TidemarkJSON
import TidemarkMachine

// A trace as text; what it looks like stands at `SyncTrace`.

extension SyncTrace {
    /// The version of the text that is written and read.
    static let version = 2

    /// The first line of a text.
    static let header = "{\"tidemark\":\"trace\",\"version\":\(version)}"

    /// The words for whose transition it is.
    enum Subject: String, CaseIterable {
        case store, record, exchange
    }

    /// The words for what happens to a collection as a whole.
    enum StoreEvent: String, CaseIterable {
        case opened, forgotten
    }

    /// The trace as text: a JSON object a line, and a line end after each.
    public var text: String {
        var bytes = Array("\(Self.header)\n".utf8)
        for entry in self.entries {
            bytes += entry.line
            bytes.append(UInt8(ascii: "\n"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension SyncTrace.Entry {
    /// The entry as a line, without the line end.
    var line: [UInt8] {
        var writer = JSONWriter(capacity: 192)
        writer.object { line in
            line.member("n", self.number)
            switch self.step {
            case .opened(let collection): line.add(.store, collection, SyncTrace.StoreEvent.opened.rawValue)
            case .forgotten(let collection): line.add(.store, collection, SyncTrace.StoreEvent.forgotten.rawValue)
            case .record(let trace):
                line.add(.record, trace.collection, trace.event.rawValue, pk: trace.pk)
                line.member("from", trace.source.description)
                line.member("to", trace.target.description)
                line.add(RecordAction.inOrder.filter { trace.actions.has($0) }.map(\.name))
            case .exchange(let trace):
                line.add(.exchange, trace.collection, trace.event.rawValue)
                line.member("from", trace.source.rawValue)
                line.member("to", trace.target.rawValue)
                line.add(ExchangeAction.inOrder.filter { trace.actions.has($0) }.map(\.name))
                if let failure = trace.failure { line.member("failure", failure.rawValue) }
                if let time = trace.time { line.member("at", time.wholeMilliseconds) }
            }
        }
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func add(
        _ subject: SyncTrace.Subject, _ collection: String, _ event: String, pk: String? = nil
    ) {
        self.member("of", subject.rawValue)
        self.member("collection", collection)
        if let pk { self.member("pk", pk) }
        self.member("event", event)
    }

    fileprivate mutating func add(_ actions: [String]) {
        self.key("actions")
        self.array { list in
            for action in actions { list.string(action) }
        }
    }
}

extension RecordAction {
    // A case's name is looked up in the binary each time that it is asked for.
    private static let names = Self.allCases.map { "\($0)" }

    /// The case, as it is spelled.
    var name: String { Self.names[Int(self.rawValue)] }
}

extension ExchangeAction {
    private static let names = Self.allCases.map { "\($0)" }

    /// The case, as it is spelled.
    var name: String { Self.names[Int(self.rawValue)] }
}

extension Duration {
    /// Cut to the millisecond.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}

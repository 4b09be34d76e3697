import TidemarkJSON
package import TidemarkMachine

// A trace as text; the format is described at `SyncTrace`.

extension SyncTrace {
    /// The version of the text format.
    static let version = 3

    /// The first line of a text.
    static let header = "{\"tidemark\":\"trace\",\"version\":\(version)}"

    /// The values of the member `of`.
    enum Subject: String, CaseIterable {
        case store, record, exchange
    }

    /// The events of a whole collection.
    enum StoreEvent: String, CaseIterable {
        case opened, forgotten
    }

    /// The trace as text: one JSON object in each line, and a line end after each.
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
    // Stored, because looking up the name of a case in the binary is slow.
    private static let names = Self.allCases.map { "\($0)" }

    /// The name of the case.
    package var name: String { Self.names[Int(self.rawValue)] }
}

extension ExchangeAction {
    private static let names = Self.allCases.map { "\($0)" }

    /// The name of the case.
    package var name: String { Self.names[Int(self.rawValue)] }
}

extension Duration {
    /// The whole milliseconds, rounded toward zero.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}

import TidemarkMachine

/// A table of a page of Markdown.
struct MarkdownTable {
    /// The heads of the columns.
    var heads: [String]

    /// The cells, row by row.
    var rows: [[String]]

    /// The table as text, with a line end after the last row.
    var text: String {
        let rule = [String](repeating: "---", count: self.heads.count)
        return ([self.heads, rule] + self.rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}

extension MarkdownTable {
    /// The cells of a record's table in some of its columns, without the rows of events that can't occur in them.
    ///
    /// - Parameters:
    ///   - phases: The columns.
    ///   - name: The head of a column.
    static func cells(of phases: [RecordPhase], name: (RecordPhase) -> String) -> MarkdownTable {
        let events = RecordEvent.allCases.filter { phases.canReceive($0) }
        return self.cells(of: phases, name: name, on: events) { phase, event in
            switch phase.transition(on: event) {
            case .move(let target, let actions): self.cell(target.description, actions.description)
            case .stay: "·"
            case .impossible: ""
            }
        }
    }

    /// The meanings of the events that can occur in some phases of a record.
    static func meanings(in phases: [RecordPhase], _ meanings: EventMeanings<RecordEvent>) -> MarkdownTable {
        self.meanings(of: RecordEvent.allCases.filter { phases.canReceive($0) }, meanings)
    }

    /// The meanings of events, one row for each.
    static func meanings<Event>(of events: [Event], _ meanings: EventMeanings<Event>) -> MarkdownTable {
        MarkdownTable(heads: ["event", "meaning"], rows: events.map { [$0.rawValue, meanings[$0]] })
    }

    /// Every cell of the table of an exchange: a row for each event, a column for each phase.
    static var ofExchange: MarkdownTable {
        self.cells(of: ExchangePhase.allCases, name: \.description, on: ExchangeEvent.allCases) { phase, event in
            switch phase.transition(on: event) {
            case .move(let target, let actions): self.cell(target.description, actions.description)
            case .stay: "·"
            case .impossible: ""
            }
        }
    }

    /// Every cell of the table of the run loop: a row for each event, a column for each phase.
    static var ofRun: MarkdownTable {
        self.cells(of: RunPhase.allCases, name: \.description, on: RunEvent.allCases) { phase, event in
            switch phase.transition(on: event) {
            case .move(let target, let actions): self.cell(target.description, actions.description)
            case .stay: "·"
            case .impossible: ""
            }
        }
    }

    /// A row for each event, a column for each phase.
    private static func cells<Phase, Event: RawRepresentable<String>>(
        of phases: [Phase], name: (Phase) -> String, on events: [Event], cell: (Phase, Event) -> String
    ) -> MarkdownTable {
        MarkdownTable(
            heads: ["event"] + phases.map(name),
            rows: events.map { event in [event.rawValue] + phases.map { cell($0, event) } })
    }

    private static func cell(_ target: String, _ actions: String) -> String {
        actions.isEmpty ? "**\(target)**" : "**\(target)** \(actions)"
    }
}

extension [RecordPhase] {
    fileprivate func canReceive(_ event: RecordEvent) -> Bool {
        self.contains { $0.transition(on: event) != .impossible }
    }
}

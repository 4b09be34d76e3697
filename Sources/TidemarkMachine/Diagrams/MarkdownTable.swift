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
    /// A list of arrows with their actions.
    init<Node>(_ arrows: [Arrow<Node>]) {
        self.init(
            heads: ["from", "event", "to", "actions"],
            rows: arrows.map { [$0.source.description, $0.event, $0.target.description, $0.actions] })
    }

    /// Every cell of the table of a record: a row for each event, a column for each phase.
    static var ofRecord: MarkdownTable {
        MarkdownTable(
            heads: ["event"] + Phase.allCases.map(\.description),
            rows: RecordEvent.allCases.map { event in
                [event.rawValue]
                    + Phase.allCases.map { phase in
                        switch phase.transition(on: event) {
                        case .move(let target, let actions): self.cell(target.description, actions.description)
                        case .stay: "·"
                        case .impossible: ""
                        }
                    }
            })
    }

    /// Every cell of the table of an exchange: a row for each event, a column for each phase.
    static var ofExchange: MarkdownTable {
        MarkdownTable(
            heads: ["event"] + ExchangePhase.allCases.map(\.description),
            rows: ExchangeEvent.allCases.map { event in
                [event.rawValue]
                    + ExchangePhase.allCases.map { phase in
                        switch phase.transition(on: event) {
                        case .move(let target, let actions): self.cell(target.description, actions.description)
                        case .stay: "·"
                        case .impossible: ""
                        }
                    }
            })
    }

    private static func cell(_ target: String, _ actions: String) -> String {
        actions.isEmpty ? "**\(target)**" : "**\(target)** \(actions)"
    }
}

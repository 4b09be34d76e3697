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
    /// The cells of a table in some of its columns: a row for each event that can occur in them.
    ///
    /// - Parameters:
    ///   - phases: The columns.
    ///   - name: The head of a column.
    static func cells<Phase: TablePhase>(of phases: [Phase], name: (Phase) -> String) -> MarkdownTable {
        MarkdownTable(
            heads: ["event"] + phases.map(name),
            rows: self.events(in: phases).map { event in
                [event.rawValue] + phases.map { self.cell($0.transition(on: event)) }
            })
    }

    /// The meanings of the events that can occur in some phases of a record.
    static func meanings(in phases: [RecordPhase], _ meanings: EventMeanings<RecordEvent>) -> MarkdownTable {
        self.meanings(of: self.events(in: phases), meanings)
    }

    /// The meanings of events, one row for each.
    static func meanings<Event>(of events: [Event], _ meanings: EventMeanings<Event>) -> MarkdownTable {
        MarkdownTable(heads: ["event", "meaning"], rows: events.map { [$0.rawValue, meanings[$0]] })
    }

    private static func events<Phase: TablePhase>(in phases: [Phase]) -> [Phase.Event] {
        Phase.Event.allCases.filter { event in phases.contains { $0.transition(on: event) != .impossible } }
    }

    private static func cell<Phase: CustomStringConvertible, Actions: CustomStringConvertible>(
        _ transition: TableTransition<Phase, Actions>
    ) -> String {
        switch transition {
        case .move(let target, let actions): actions.description.isEmpty ? "**\(target)**" : "**\(target)** \(actions)"
        case .stay: "·"
        case .impossible: ""
        }
    }
}

// The pages of the folder, one property each.

extension StateDiagrams {
    static var manual: String {
        """
        # State diagrams

        These pages are made from the tables in `Sources/TidemarkMachine` by `swift run draw-state-diagrams StateDiagrams`.
        They are never edited by hand, and a test compares them with the code.

        | page | shows |
        | --- | --- |
        | [overview](overview.md) | the four states of a record, and what leads from one to another |
        | [SYNCD](SYNCD.md), [EDITED](EDITED.md), [CREATED](CREATED.md), [DELETED](DELETED.md) | everything that can \
        happen to a record in that state |
        | [conflicts](conflicts.md) | how a record comes to wait for a decision, and how it leaves |
        | [exchange](exchange.md) | one GET or POST after the other |
        | [failures](failures.md) | what each class of failure does, and how a record comes to be held |
        | [table](table.md) | every cell of both tables |

        ## How to read them

        - A **phase** is a state and what the client is doing about it: `EDITED.uploading` is a record with a local
          change whose bytes are in a POST. The activities are *idle* (waits for its turn), *uploading*, *unconfirmed*
          (the fate of its POST is unknown), *deciding* (a tactic or a person decides) and *held* (kept, shown, not
          sent).
        - The black dot is *absent*: the client knows no such record.
        - An **arrow** carries the names of the events that lead along it. What each event means stands in
          `RecordEvent.swift` and `ExchangeEvent` (`ExchangePhase.swift`). Conditions have become events: that more was
          typed while a POST was out is not a note on the arrow `accepted`, it is the arrow `acceptedEarlier`.
        - **Actions** stand in the lists below the drawings. They are carried out in the order in which they are named,
          and all that touches the store is one transaction.
        - In the table, `·` is an event that is legal and changes nothing; an empty cell is an event that cannot occur
          there, and that stops the program.

        A record that is not in conflict goes round like this: `SYNCD` — edited → `EDITED.idle` — sent →
        `EDITED.uploading` — accepted → `SYNCD`.

        """
    }

    static var overviewPage: String {
        """
        # Overview

        The four states of a record, and the events that lead from one to another. What a record does *inside* a state
        is on the page of that state.

        \(self.overview)
        """
    }

    static func page(of state: SyncState) -> String {
        let arrows = Arrow.ofRecord.filter { $0.source.state == state }
        return """
            # \(state.rawValue)

            \(self.meaning(of: state))

            \(MermaidDiagram(arrows).fenced)
            ## Each arrow with its actions

            \(MarkdownTable(arrows).text)
            """
    }

    private static func meaning(of state: SyncState) -> String {
        switch state {
        case .synced: "What the app sees is what the server last confirmed."
        case .edited: "The record has changes that the server has not confirmed."
        case .created: "The record was made here, and the server has not confirmed it."
        case .deleted: "The record was deleted here, and the server has not confirmed that."
        }
    }

    static var conflictsPage: String {
        let arrows = Arrow.ofRecord.filter { $0.source.activity == .deciding || $0.target.activity == .deciding }
        return """
            # Conflicts

            A record is *deciding* while the server's version has moved and no one has said which side stands. The
            record stays readable and editable, and all other records go on.

            \(MermaidDiagram(arrows).fenced)
            ## Each arrow with its actions

            \(MarkdownTable(arrows).text)
            """
    }

    static var exchangePage: String {
        """
        # Exchange

        A collection has one exchange at a time: a GET, or a POST whose answer brings the newer rows as well.

        \(MermaidDiagram(Arrow.ofExchange).fenced)
        ## Each arrow with its actions

        \(MarkdownTable(Arrow.ofExchange).text)
        """
    }

    static var tablePage: String {
        """
        # Every cell

        `·` is an event that is legal and changes nothing. An empty cell is an event that cannot occur there.

        ## A record

        \(MarkdownTable.ofRecord.text)
        ## An exchange

        \(MarkdownTable.ofExchange.text)
        """
    }
}

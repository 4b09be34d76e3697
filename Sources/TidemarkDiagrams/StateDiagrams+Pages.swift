import TidemarkMachine

// The pages of the folder, one property each.

extension StateDiagrams {
    var manual: String {
        """
        # State diagrams

        These pages are made from the tables in `Sources/TidemarkMachine` by `make diagrams`. They are never edited by
        hand, and a test compares them with the code.

        | page | shows |
        | --- | --- |
        | [overview](overview.md) | the four states of a record, and what leads from one to another |
        | [SYNCD](SYNCD.md), [EDITED](EDITED.md), [CREATED](CREATED.md), [DELETED](DELETED.md) | everything that can \
        happen to a record in that state, cell by cell |
        | [conflicts](conflicts.md) | how a record comes to wait for a decision, and how it leaves |
        | [exchange](exchange.md) | one GET or POST after the other |
        | [failures](failures.md) | what each class of failure does, and how a record comes to be held |
        | [run](run.md) | when a collection syncs |

        ## How to read them

        - A **phase** is a state and what the client is doing about it: `EDITED.uploading` is a record with a local
          change whose bytes are in a POST. A state is drawn as a frame, and each activity in a colour of its own:
          *idle* (blue; waits for its turn), *uploading* (green), *unconfirmed* (amber; the fate of its POST is
          unknown), *deciding* (violet; a tactic or a person decides) and *held* (red; kept, shown, not sent).
        - *absent* is a record that the client does not know.
        - An **arrow** carries the names of the events that lead along it. One that begins or ends at a frame does so at
          each activity in it. Conditions have become events: that more was typed while a POST was out is not a note on
          the arrow `accepted`, it is the arrow `acceptedEarlier`.
        - Small words **in** a box are events that are received there, and act, without leaving.
        - **Bold** is the main road: what happens to a record when all goes well at once.
        - **Actions** stand in the tables below the drawings. They are carried out in the order in which they are named,
          and all that touches the store is one transaction.
        - In a table, `·` is an event that is legal and changes nothing; an empty cell is an event that can't occur
          there, and that stops the program. An event without a row can't occur in any of the columns.

        A record that is not in conflict goes round like this: `SYNCD` — edited → `EDITED.idle` — sent →
        `EDITED.uploading` — accepted → `SYNCD`.

        """
    }

    var overviewPage: String {
        """
        # Overview

        The four states of a record, and the events that lead from one to another. What a record does *inside* a state
        is on the page of that state.

        \(self.figure(.overview))
        """
    }

    var settledPage: String {
        """
        # SYNCD

        What the app sees is what the server last confirmed. This page also has the record that is *absent*.

        \(self.figure(.settled))
        \(self.account(of: [.absent, .synced], name: \.description))
        """
    }

    func page(of state: SyncState) -> String {
        """
        # \(state.rawValue)

        \(self.meaning(of: state))

        ## Inside

        \(self.figure(.inside(state)))
        ## Leaving

        \(self.figure(.leaving(state)))
        \(self.account(of: RecordPhase.allCases.filter { $0.state == state }) { $0.activity?.rawValue ?? state.rawValue })
        """
    }

    private func meaning(of state: SyncState) -> String {
        switch state {
        case .synced: "What the app sees is what the server last confirmed."
        case .edited: "The record has changes that the server has not confirmed."
        case .created: "The record was made here, and the server has not confirmed it."
        case .deleted: "The record was deleted here, and the server has not confirmed that."
        }
    }

    var conflictsPage: String {
        """
        # Conflicts

        A record is *deciding* while the server's version has moved and no one has said which side stands. The
        record stays readable and editable, and all other records go on.

        \(self.figure(.conflicts))
        \(self.account(of: RecordPhase.allCases.filter { $0.activity == .deciding }, name: \.description))
        """
    }

    var exchangePage: String {
        """
        # Exchange

        A collection has one exchange at a time: a GET, or a POST whose answer brings the newer rows as well.

        \(self.figure(.exchange))
        ## What the events mean

        \(MarkdownTable.meanings(of: ExchangeEvent.allCases, self.exchangeMeanings).text)
        ## Every cell

        \(MarkdownTable.ofExchange.text)
        """
    }

    var runPage: String {
        """
        # Run

        When a collection syncs while the app runs. What a sync does is on the page of the [exchange](exchange.md).

        \(self.figure(.run))
        ## What the events mean

        \(MarkdownTable.meanings(of: RunEvent.allCases, self.runMeanings).text)
        ## Every cell

        \(MarkdownTable.ofRun.text)
        """
    }
}

extension StateDiagrams {
    /// A drawing on a page: the picture, and the text that some pages show as one, folded away.
    func figure(_ drawing: Drawing) -> String {
        """
        ![\(drawing.title)](\(drawing.name).svg)

        <details><summary>The same in Mermaid</summary>

        \(MermaidDiagram(drawing).fenced)
        </details>

        """
    }

    /// What can happen in some phases of a record, in words and cell by cell.
    func account(of phases: [RecordPhase], name: (RecordPhase) -> String) -> String {
        """
        ## What the events mean

        \(MarkdownTable.meanings(in: phases, self.recordMeanings).text)
        ## Every cell

        \(MarkdownTable.cells(of: phases, name: name).text)
        """
    }
}

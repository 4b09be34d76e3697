import TidemarkMachine

// The pages of the folder, one property each.

extension StateDiagrams {
    var manual: String {
        """
        # State diagrams

        `make diagrams` generates these pages from the tables in `Sources/TidemarkMachine`. They are never edited by
        hand, and a test compares them with the code.

        | page | shows |
        | --- | --- |
        | [overview](overview.md) | the four states of a record, and the events between them |
        | [SYNCD](SYNCD.md), [EDITED](EDITED.md), [CREATED](CREATED.md), [DELETED](DELETED.md) | all events of a record \
        in that state, cell by cell |
        | [conflicts](conflicts.md) | records that wait for a decision |
        | [exchange](exchange.md) | the sequence of GETs and POSTs |
        | [failures](failures.md) | the effect of each class of failure, and records that are held |
        | [run](run.md) | when a collection syncs |
        | [turn](turn.md) | which client has the store |

        ## How to read them

        - A **phase** is a state and an activity of the client: `EDITED.uploading` is a record with a local change whose
          bytes are in a POST. A state is drawn as a frame, and each activity has its color: *idle* (blue; waits to be
          sent), *uploading* (green), *unconfirmed* (amber; the outcome of its POST is unknown), *deciding* (violet; a
          tactic or the user decides) and *held* (red; kept, shown, not sent).
        - *absent* is a record that the client does not know.
        - An **arrow** has the names of its events. An arrow from a frame (with a dot) or to a frame applies to each
          activity inside. A condition is a separate event: `accepted` means that the server accepted an upload, and
          `acceptedEarlier` means the same while the record has later edits.
        - Small words **in** a box are events that run actions there and do not change the phase.
        - **Bold** is the main path: the transitions without any failure or conflict.
        - **Actions** are in the tables below the drawings. The client carries them out in their order, and all changes
          of the store are one transaction.
        - In a table, `·` is an event that is legal and changes nothing. An empty cell is an event that can't occur
          there; it traps. An event without a row can't occur in any of the columns.

        The usual cycle of a record without a conflict is: `SYNCD` — edited → `EDITED.idle` — sent →
        `EDITED.uploading` — accepted → `SYNCD`.

        """
    }

    var overviewPage: String {
        """
        # Overview

        The four states of a record, and the events between them. The page of each state has the events *inside* that
        state.

        \(self.figure(.overview))
        """
    }

    var settledPage: String {
        """
        # SYNCD

        The app sees the version that the server last confirmed. This page also has the record that is *absent*.

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
        case .synced: "The app sees the version that the server last confirmed."
        case .edited: "The record has changes that the server has not confirmed."
        case .created: "The record was created on this device, and the server has not confirmed it."
        case .deleted: "The record was deleted on this device, and the server has not confirmed that."
        }
    }

    var conflictsPage: String {
        """
        # Conflicts

        A record is *deciding* while the server has a newer version in conflict with the local change, and the conflict
        is not resolved. The record stays readable and editable, and the sync of all other records continues.

        \(self.figure(.conflicts))
        \(self.account(of: RecordPhase.allCases.filter { $0.activity == .deciding }, name: \.description))
        """
    }

    var exchangePage: String {
        """
        # Exchange

        A collection has one exchange at a time: a GET, or a POST whose answer includes the newer rows as well.

        \(self.figure(.exchange))
        ## Meanings of the events

        \(MarkdownTable.meanings(of: ExchangeEvent.allCases, self.exchangeMeanings).text)
        ## Every cell

        \(MarkdownTable.cells(of: ExchangePhase.allCases, name: \.description).text)
        """
    }

    var runPage: String {
        """
        # Run

        The run loop decides when a collection syncs. The requests of a sync are on the page of the
        [exchange](exchange.md).

        \(self.figure(.run))
        ## Meanings of the events

        \(MarkdownTable.meanings(of: RunEvent.allCases, self.runMeanings).text)
        ## Every cell

        \(MarkdownTable.cells(of: RunPhase.allCases, name: \.description).text)
        """
    }

    var turnPage: String {
        """
        # Turn

        Several clients can use one store, one after another: an app, and its widgets.

        \(self.figure(.turn))
        ## Meanings of the events

        \(MarkdownTable.meanings(of: TurnEvent.allCases, self.turnMeanings).text)
        ## Every cell

        \(MarkdownTable.cells(of: TurnPhase.allCases, name: \.description).text)
        """
    }
}

extension StateDiagrams {
    /// A drawing on a page.
    func figure(_ drawing: Drawing) -> String { "![\(drawing.title)](\(drawing.name).svg)\n" }

    /// The events of some phases of a record: their meanings, and every cell.
    func account(of phases: [RecordPhase], name: (RecordPhase) -> String) -> String {
        """
        ## Meanings of the events

        \(MarkdownTable.meanings(in: phases, self.recordMeanings).text)
        ## Every cell

        \(MarkdownTable.cells(of: phases, name: name).text)
        """
    }
}

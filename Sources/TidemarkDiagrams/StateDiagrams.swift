package import Foundation
import TidemarkMachine

/// The drawings of the four tables, as files of a folder.
///
/// They are derived from the functions that the client runs (``RecordPhase/transition(on:)``,
/// ``ExchangePhase/transition(on:)``, ``RunPhase/transition(on:)``, ``TurnPhase/transition(on:)``), so drawings and code always agree. A change of a
/// table is also a change of these files. Review these first.
package struct StateDiagrams: Sendable {
    /// One file: a page of Markdown that shows its drawings in a browser.
    package struct File: Hashable, Sendable {
        /// The name inside the folder, such as `overview.md`.
        package let name: String

        /// The whole text.
        package let text: String
    }

    let recordMeanings: EventMeanings<RecordEvent>
    let exchangeMeanings: EventMeanings<ExchangeEvent>
    let runMeanings: EventMeanings<RunEvent>
    let turnMeanings: EventMeanings<TurnEvent>

    /// Reads the meanings of the events.
    ///
    /// - Parameter machine: The folder of the sources of the machine, `Sources/TidemarkMachine`.
    /// - Throws: ``EventMeaningsError`` if an event has no meaning there.
    package init(machine: URL) throws(EventMeaningsError) {
        self.recordMeanings = try EventMeanings(inFolder: machine.appending(path: "Record"))
        self.exchangeMeanings = try EventMeanings(inFolder: machine.appending(path: "Exchange"))
        self.runMeanings = try EventMeanings(inFolder: machine.appending(path: "Run"))
        self.turnMeanings = try EventMeanings(inFolder: machine.appending(path: "Turn"))
    }

    /// Every page of the folder, the start page first.
    package var files: [File] {
        [
            File(name: "README.md", text: self.manual),
            File(name: "overview.md", text: self.overviewPage),
            File(name: "SYNCD.md", text: self.settledPage),
            File(name: "EDITED.md", text: self.page(of: .edited)),
            File(name: "CREATED.md", text: self.page(of: .created)),
            File(name: "DELETED.md", text: self.page(of: .deleted)),
            File(name: "conflicts.md", text: self.conflictsPage),
            File(name: "exchange.md", text: self.exchangePage),
            File(name: "failures.md", text: self.failuresPage),
            File(name: "run.md", text: self.runPage),
            File(name: "turn.md", text: self.turnPage),
        ]
    }

    /// Every drawing of the pages. The picture of a drawing is a file in the same folder; `draw-state-diagrams` makes it from
    /// ``DotDiagram``.
    package static var drawings: [Drawing] {
        [.overview, .settled]
            + [SyncState.edited, .created, .deleted].flatMap { [Drawing.inside($0), .leaving($0)] }
            + [.conflicts, .exchange, .held, .run, .turn]
    }
}

extension StateDiagrams.File: CustomStringConvertible {
    /// The name; a page is too long for a message.
    package var description: String { self.name }
}

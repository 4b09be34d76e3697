import Foundation
import Testing
import TidemarkMachine

@Suite struct StateDiagramsTests {
    /// The folder in the root of the package, from the place of this file.
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "StateDiagrams")

    @Test(arguments: StateDiagrams.files)
    func `each drawing is what the tables say`(file: StateDiagrams.File) throws {
        let text = try String(contentsOf: Self.folder.appending(path: file.name), encoding: .utf8)
        #expect(
            Array(text.utf8) == Array(file.text.utf8),
            "\(file.name) is stale: swift run draw-state-diagrams StateDiagrams, and read what has changed")
    }

    @Test func `the folder holds nothing that the tables do not say`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(names) == Set(StateDiagrams.files.map(\.name)))
    }

    @Test func `the overview is a fence of Mermaid with the four states`() {
        let overview = StateDiagrams.overview
        #expect(overview.hasPrefix("```mermaid\nstateDiagram-v2\n"))
        #expect(overview.hasSuffix("\n```\n"))
        for state in SyncState.allCases {
            #expect(overview.contains(" \(state.rawValue) -->"))
        }
    }

    @Test func `every move of the table is drawn on the page of its state`() throws {
        for source in Phase.allCases {
            guard let state = source.state else { continue }
            let page = try #require(StateDiagrams.files.first { $0.name == "\(state.rawValue).md" })
            for event in RecordEvent.allCases {
                guard case .move(let target, let actions) = source.transition(on: event) else { continue }
                #expect(page.text.contains("| \(source) | \(event) | \(target) | \(actions) |"))
            }
        }
    }
}

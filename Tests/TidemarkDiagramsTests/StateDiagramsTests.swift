import Foundation
import Testing
import TidemarkDiagrams
import TidemarkMachine

@Suite struct StateDiagramsTests {
    /// The folder in the root of the package, from the place of this file.
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "StateDiagrams")

    /// The pages, with what the events mean from the sources of the machine.
    private static func files() throws -> [StateDiagrams.File] {
        try StateDiagrams(machine: Self.folder.appending(path: "../Sources/TidemarkMachine")).files
    }

    @Test(arguments: try Self.files())
    func `each page is what the tables say`(file: StateDiagrams.File) throws {
        let text = try String(contentsOf: Self.folder.appending(path: file.name), encoding: .utf8)
        #expect(
            Array(text.utf8) == Array(file.text.utf8),
            "\(file.name) is stale: make diagrams, and read what has changed")
    }

    @Test(arguments: StateDiagrams.drawings)
    func `each picture was made of what the tables say, and shows every word of it`(drawing: Drawing) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "\(drawing.name).svg"), encoding: .utf8)
        #expect(text.contains(DotDiagram(drawing).seal), "\(drawing.name).svg is stale: make diagrams, and look at it")
        let shown = Set(
            text.matches(of: /<text[^>]*>(.*)<\/text>/)
                .flatMap { $0.1.replacing(/<[^>]*>/, with: "").split(separator: ", ") }
                .map { String($0.replacing(",", with: "")) })
        #expect(shown == drawing.words)
    }

    @Test(arguments: StateDiagrams.drawings)
    func `each picture asks for nothing from elsewhere, and can be read by day and by night`(drawing: Drawing) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "\(drawing.name).svg"), encoding: .utf8)
        #expect(text.matches(of: /https?:[^"]*/).map { String($0.0) } == ["http://www.w3.org/2000/svg"])
        #expect(!text.contains("@import") && !text.contains("@font-face") && !text.contains("href"))
        #expect(text.contains("prefers-color-scheme:dark"))
    }

    @Test func `the folder holds nothing that the tables do not say`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let files = try Self.files()
        #expect(Set(names) == Set(files.map(\.name) + StateDiagrams.drawings.map { "\($0.name).svg" }))
    }

    @Test func `every drawing stands on a page`() throws {
        let files = try Self.files()
        for drawing in StateDiagrams.drawings {
            #expect(files.contains { $0.text.contains("(\(drawing.name).svg)") }, "\(drawing.name)")
        }
    }

    @Test func `the overview is a fence of Mermaid with the four states`() {
        let overview = StateDiagrams.overview
        #expect(overview.hasPrefix("```mermaid\nstateDiagram-v2\n"))
        #expect(overview.hasSuffix("\n```\n"))
        for state in SyncState.allCases {
            #expect(overview.contains(" \(state.rawValue) -->"))
        }
    }

    @Test(arguments: RecordPhase.allCases)
    func `every move out of a phase is a cell and an arrow on the page of its state`(source: RecordPhase) throws {
        let name = source.state?.rawValue ?? SyncState.synced.rawValue
        let page = try #require(try Self.files().first { $0.name == "\(name).md" })
        let drawings = StateDiagrams.drawings.filter { $0.name == name || $0.name == "\(name)-leaving" }
        for event in RecordEvent.allCases {
            guard case .move(let target, let actions) = source.transition(on: event) else { continue }
            let row = page.text.split(separator: "\n").filter { $0.hasPrefix("| \(event) |") }
            #expect(row.contains { $0.contains("| **\(target)** \(actions) |") }, "\(event)")
            #expect(drawings.contains { $0.words.contains(event.rawValue) }, "\(event)")
        }
    }
}

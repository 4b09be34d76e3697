import Foundation
import Testing
import TidemarkDiagrams
import TidemarkMachine

@Suite struct StateDiagramsTests {
    /// The folder in the root of the package, from the place of this file.
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "StateDiagrams")

    /// The pages, with the meanings of the events from the sources of the machine.
    private static func files() throws -> [StateDiagrams.File] {
        try StateDiagrams(machine: Self.folder.appending(path: "../Sources/TidemarkMachine")).files
    }

    @Test(arguments: try Self.files())
    func `each page equals the page that is generated from the tables`(file: StateDiagrams.File) throws {
        let text = try String(contentsOf: Self.folder.appending(path: file.name), encoding: .utf8)
        #expect(
            Array(text.utf8) == Array(file.text.utf8),
            "\(file.name) is stale: make diagrams, and read what has changed")
    }

    @Test(arguments: StateDiagrams.drawings)
    func `each picture is current and shows every word of the tables`(drawing: Drawing) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "\(drawing.name).svg"), encoding: .utf8)
        #expect(text.contains(DotDiagram(drawing).seal), "\(drawing.name).svg is stale: make diagrams, and look at it")
        let shown = Set(
            text.matches(of: /<text[^>]*>(.*)<\/text>/)
                .flatMap { $0.1.replacing(/<[^>]*>/, with: "").split(separator: ", ") }
                .map { String($0.replacing(",", with: "")) })
        #expect(shown == drawing.words)
    }

    @Test(arguments: StateDiagrams.drawings)
    func `each picture loads nothing and has colors for light and dark pages`(drawing: Drawing) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "\(drawing.name).svg"), encoding: .utf8)
        #expect(text.matches(of: /https?:[^"]*/).map { String($0.0) } == ["http://www.w3.org/2000/svg"])
        #expect(!text.contains("@import") && !text.contains("@font-face") && !text.contains("href"))
        #expect(text.contains("prefers-color-scheme:dark"))
    }

    @Test(arguments: StateDiagrams.drawings)
    func `each text of a box lies within the border of the box`(drawing: Drawing) throws {
        let text = try String(contentsOf: Self.folder.appending(path: "\(drawing.name).svg"), encoding: .utf8)
        let boxes = text.matches(
            of: /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" rx="9"\/>\n((?:<text.*\n)+)/)
        #expect(boxes.count == drawing.allBoxes.count)
        for box in boxes {
            let (top, height) = (try #require(Double(box.2)), try #require(Double(box.4)))
            let width = try #require(Double(box.3))
            for row in box.5.matches(of: /<text( class="title")?.* y="([\d.]+)">(.*)<\/text>/) {
                let baseline = try #require(Double(row.2))
                // The size of the letters, and their mean width in a wide font.
                let (size, letter) = row.1 == nil ? (12.0, 6.7) : (15.0, 10.0)
                #expect(baseline - size >= top && baseline + size / 4 <= top + height, "\(row.3)")
                #expect(Double(row.3.count) * letter <= width, "\(row.3)")
            }
        }
    }

    @Test func `the folder has no file except those generated from the tables`() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let files = try Self.files()
        #expect(Set(names) == Set(files.map(\.name) + StateDiagrams.drawings.map { "\($0.name).svg" }))
    }

    @Test func `every drawing is on a page`() throws {
        let files = try Self.files()
        for drawing in StateDiagrams.drawings {
            #expect(files.contains { $0.text.contains("(\(drawing.name).svg)") }, "\(drawing.name)")
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

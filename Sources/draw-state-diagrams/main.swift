import Foundation
import TidemarkDiagrams

// Writes the state diagrams into a folder, or reports which of its files differ from the tables. It runs in the root of
// the repository, since it reads the meanings of the events from the sources.

/// Ends the program with a message on standard error.
func stop(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

var arguments = CommandLine.arguments.dropFirst()
let isCheck = arguments.first == "--check"
if isCheck { arguments.removeFirst() }
guard let path = arguments.first, arguments.count == 1, !path.hasPrefix("-") else {
    stop("usage: draw-state-diagrams [--check] DIR", status: 64)
}
let folder = URL(fileURLWithPath: path, isDirectory: true)

do {
    let diagrams = try StateDiagrams(machine: URL(filePath: "Sources/TidemarkMachine", directoryHint: .isDirectory))
    let pages = diagrams.files.filter { file in
        (try? Data(contentsOf: folder.appendingPathComponent(file.name))) != Data(file.text.utf8)
    }
    let pictures = StateDiagrams.drawings.filter { !Picture.isDrawn($0, in: folder) }
    if isCheck {
        let stale = pages.map(\.name) + pictures.map(Picture.fileName)
        guard stale.isEmpty else {
            stop("\(path): stale: \(stale.joined(separator: ", ")). Run: make diagrams", status: 1)
        }
    } else {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for page in pages {
            try Data(page.text.utf8).write(to: folder.appendingPathComponent(page.name), options: .atomic)
        }
        for drawing in pictures {
            let picture = Picture(drawing, layout: try Graphviz.layout(of: DotDiagram(drawing)))
            try Data(picture.svg.utf8)
                .write(to: folder.appendingPathComponent(Picture.fileName(of: drawing)), options: .atomic)
        }
    }
} catch let error as EventMeaningsError {
    stop(error.message, status: 1)
} catch let error as GraphvizError {
    stop("\(path): \(error.message)", status: 1)
} catch {
    stop("\(path): \(error.localizedDescription)", status: 1)
}

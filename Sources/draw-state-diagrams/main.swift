import Foundation
import TidemarkMachine

// Writes the state diagrams into a folder, or tells which of its files are not what the tables say.

/// Ends the program with a message for a person.
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
    if isCheck {
        let stale = StateDiagrams.files.filter { file in
            (try? Data(contentsOf: folder.appendingPathComponent(file.name))) != Data(file.text.utf8)
        }
        guard stale.isEmpty else {
            let names = stale.map(\.name).joined(separator: ", ")
            stop("\(path): not what the tables say: \(names). Run: swift run draw-state-diagrams \(path)", status: 1)
        }
    } else {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in StateDiagrams.files {
            try Data(file.text.utf8).write(to: folder.appendingPathComponent(file.name), options: .atomic)
        }
    }
} catch {
    stop("\(path): \(error.localizedDescription)", status: 1)
}

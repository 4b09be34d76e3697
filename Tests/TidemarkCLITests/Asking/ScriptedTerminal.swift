import Synchronization

@testable import TidemarkCLI

/// A terminal at which a script types; it records its output.
final class ScriptedTerminal: Terminal {
    let width: Int
    private let script: Mutex<[String]>
    private let screen = Mutex<[String]>([])

    init(_ lines: [String], width: Int = 80) {
        self.script = Mutex(lines)
        self.width = width
    }

    /// The lines that were shown, including questions.
    var shown: [String] { self.screen.withLock { $0 } }

    /// The lines of the script that were not read.
    var unread: [String] { self.script.withLock { $0 } }

    func say(_ line: String) { self.screen.withLock { $0.append(line) } }

    func ask(_ question: String) -> String? {
        self.say(question)
        return self.script.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

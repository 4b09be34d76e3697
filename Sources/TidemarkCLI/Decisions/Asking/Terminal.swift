import Foundation

/// Where a person reads and types.
protocol Terminal {
    /// How many columns fit into a line.
    var width: Int { get }

    /// Shows a line.
    func say(_ line: String)

    /// Shows a question and waits for a line; nil when the person has left (end of input).
    func ask(_ question: String) -> String?
}

/// Standard input and standard error; standard output is for the result.
struct SystemTerminal: Terminal {
    private let console: Console

    /// Takes the terminal, if somebody sits at one.
    init?(_ console: Console) {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        self.console = console
    }

    var width: Int {
        var size = winsize()
        let isKnown = ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    func say(_ line: String) { self.console.say(line) }

    func ask(_ question: String) -> String? {
        self.console.ask(question)
        return readLine()
    }
}

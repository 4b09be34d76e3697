import Foundation

/// A terminal at which the user reads and types.
protocol Terminal {
    /// The width of a line, in columns.
    var width: Int { get }

    /// Shows a line.
    func say(_ line: String)

    /// Shows a question and waits for a line; nil at the end of input.
    func ask(_ question: String) -> String?
}

/// Standard input and standard error; standard output is for the result.
struct SystemTerminal: Terminal {
    private let console: Console

    /// The terminal of the user; nil if standard input is not one.
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

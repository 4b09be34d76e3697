/// `tidemark manual`: prints the manual page, for `man`.
enum ManualCommand: Command {
    static let name = "manual"
    static let summary = "print the manual page (roff)"
    static let parameters: [Parameter] = []
    static let options: [Option] = []
    static let example = "tidemark manual > /usr/local/share/man/man1/tidemark.1"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        for line in ManualPage(Commands.all).lines { try console.print(line) }
        return .success
    }
}

import Foundation

/// The command line tool `tidemark` (SPEC §8).
@main
struct TidemarkTool {
    /// What `--version` prints.
    static let version = "tidemark 0.1.0"

    static func main() async {
        StandardStreams.keepPlaces()
        // Who reads us may stop, as `head` does: that is an error of a write, and no reason to die.
        signal(SIGPIPE, SIG_IGN)
        // A store holds a token and other people's data: nobody else reads what is made here.
        umask(0o077)
        let status = await Self.run()
        exit(status.code)
    }

    /// Runs a command; what it throws is told in words.
    private static func run() async -> ExitStatus {
        let console = Console()
        do {
            let status = try await Commands.run(try TypedWords.read(), console)
            try console.flush()
            return status
        } catch let error as OutputError {
            if let message = error.message { console.say("tidemark: \(message)") }
            return .failure
        } catch let error as UsageError {
            // What was printed before stays true.
            try? console.flush()
            for line in error.lines { console.say(line) }
            return .usage
        } catch {
            try? console.flush()
            console.say("tidemark: \(error)")
            return .failure
        }
    }
}

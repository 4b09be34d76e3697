import Foundation

/// The command line tool `tidemark` (Contract §8).
@main
struct TidemarkTool {
    /// The line that `--version` prints.
    static let version = "tidemark 0.1.0"

    static func main() async {
        StandardStreams.keepPlaces()
        // A reader of the output can stop early, as `head` does: a failed write, which must not end the process.
        signal(SIGPIPE, SIG_IGN)
        // A store has a token and personal data: only the owner can read the files that the tool makes.
        umask(0o077)
        let status = await Self.run()
        exit(status.code)
    }

    /// Runs a command, and prints the errors that it throws.
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
            // The lines printed before are part of the result.
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

import Foundation

/// `tidemark-proof`: checks the guarantees of Tidemark, for contributors. It is not installed.
@main
struct ProofTool {
    private static let usage = """
        usage: tidemark-proof explore [--inputs N]
               tidemark-proof simulate [--seed N | --seeds A..B] [--steps N] [--clients N] [--faults all|none|A,B]
                   [--store memory|sqlite] [--without-themes] [--handovers] [--rows] [--shrink] [--print]
               tidemark-proof simulate --script FILE [--store memory|sqlite] [--tell] [--shrink]
               tidemark-proof simulate --server unconditional|late|list|rounding|drawn [--seed N | --seeds A..B] [--steps N]
                   [--clients N] [--faults all|none|A,B] [--handovers] [--script FILE] [--tell] [--shrink] [--print]
               tidemark-proof simulate --concurrent [--seed N | --seeds A..B] [--steps N] [--clients N] [--store memory|sqlite]
               tidemark-proof copies [--copies N] [--seed N]
               tidemark-proof turns [--operations N] [--workers N] [--seed N]
               tidemark-proof transcript [--form NAME] [--seed N | --seeds A..B] [--steps N] [--group N] [--renames FILE] [--print]
        """

    static func main() async {
        do {
            exit(try await Self.run(CommandLine.arguments.dropFirst()) ? EXIT_SUCCESS : EXIT_FAILURE)
        } catch {
            say("tidemark-proof: \(error)")
            if error is ProofUsage { say(Self.usage) }
            exit(error is ProofUsage ? EX_USAGE : EXIT_FAILURE)
        }
    }

    /// Runs a command and returns whether every guarantee holds.
    private static func run(_ words: ArraySlice<String>) async throws -> Bool {
        switch words.first {
        case "copies": return try CopiesCommand.run(words.dropFirst())
        case "explore": return try ExploreCommand.run(words.dropFirst())
        case "simulate": return try await SimulateCommand.run(words.dropFirst())
        case "transcript": return try await TranscriptCommand.run(words.dropFirst())
        case "turns": return try await TurnsCommand.run(words.dropFirst())
        case "--help", "-h":
            print(Self.usage)
            return true
        case let word: throw ProofUsage(word.map { "“\($0)” is not a command" } ?? "a command is missing")
        }
    }
}

/// Prints a line on standard error.
func say(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
}

/// Seconds, rounded to milliseconds.
func rounded(_ seconds: Double) -> Double { (seconds * 1_000).rounded() / 1_000 }

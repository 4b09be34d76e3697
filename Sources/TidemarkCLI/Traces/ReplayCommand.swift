import Tidemark

/// `tidemark replay`: replays traces on the state machines of this version.
enum ReplayCommand: Command {
    static let name = "replay"
    static let summary = "replay traces on the state machines, and print differences"
    static let parameters = [Parameter.required("FILE", .file), .repeated("FILE", .file)]
    static let example = "tidemark replay phone.trace"

    /// How many differences of one file are printed.
    private static let toldDifferences = 100

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        var isRight = true
        for path in input.positions {
            do throws(CommandFailure) {
                let text = try InputText(path, console)
                let trace = try text.reading { (bytes) throws(JSONError) in try SyncTrace(parsing: bytes) }
                let differences = trace.differences()
                for difference in differences.prefix(Self.toldDifferences) {
                    console.say("\(text.name):\(difference.line): \(difference.message)")
                }
                let count = differences.count - Self.toldDifferences
                if count > 0 { console.say("\(text.name): and \(count) more") }
                guard differences.isEmpty else {
                    isRight = false
                    continue
                }
                let steps = trace.entries.count == 1 ? "1 step" : "\(trace.entries.count) steps"
                console.say("\(text.name): \(steps), all as the state machines of this version do them")
            } catch {
                // As compilers print it, so that an editor can jump there.
                console.say(error.description)
                isRight = false
            }
        }
        return isRight ? .success : .failure
    }
}

import Tidemark
import TidemarkJSONStream

/// `tidemark json check`: checks that files are JSON.
enum JSONCheckCommand: Command {
    static let name = "json check"
    static let summary = "check that files are JSON, and print where they are not"
    static let parameters = [Parameter.required("FILE", .file), .repeated("FILE", .file)]
    static let options = [Self.lines]
    static let example = "tidemark json check notes.json export.ndjson"

    private static let lines = Option(
        name: "--ndjson", summary: "each line is one JSON text, as in files that end in .ndjson or .jsonl")

    /// How many wrong lines of one file are printed.
    private static let toldFaults = 100

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        var isRight = true
        for path in input.positions {
            do throws(CommandFailure) {
                let isRead = try Self.check(path, hasLines: input.has(Self.lines) || Self.isNDJSON(path), console)
                isRight = isRight && isRead
            } catch {
                // As compilers print it, so that an editor can jump there.
                console.say(error.description)
                isRight = false
            }
        }
        return isRight ? .success : .failure
    }

    private static func isNDJSON(_ path: String) -> Bool {
        // own text: the name of a file, as it was typed
        [".ndjson", ".jsonl"].contains { path.lowercased().hasSuffix($0) }
    }

    private static func check(_ path: String, hasLines: Bool, _ console: Console) throws(CommandFailure) -> Bool {
        let file = try InputFile(path, warn: console.say)
        guard hasLines else {
            try Self.check(file, console)
            return true
        }
        var faults = 0
        try file.readLines { (line, number) throws(CommandFailure) in
            do throws(JSONError) {
                let (_, warnings) = try JSON.parse(line)
                for warning in warnings {
                    console.say("\(file.name):\(number):\(warning.column): warning: \(warning.message)")
                }
            } catch {
                faults += 1
                guard faults <= Self.toldFaults else { return }
                console.say(CommandFailure(error, in: file.name, linesBefore: number - 1).description)
            }
        }
        if faults > Self.toldFaults { console.say("\(file.name): and \(faults - Self.toldFaults) more lines") }
        return faults == 0
    }

    /// Checks a file with one text of any size.
    private static func check(_ file: InputFile, _ console: Console) throws(CommandFailure) {
        var elements = FileElements(file, .nothing)
        _ = try elements.next { error in
            let failure = CommandFailure(error, in: file.name)
            let isAfterLine = error.code == .trailing && error.line != 1
            let advice = isAfterLine ? "\n\(file.name): if each line is one JSON text, add --ndjson" : ""
            return CommandFailure(failure.description + advice)
        }
        for warning in elements.reader.warnings {
            console.say("\(file.name):\(warning.line):\(warning.column): warning: \(warning.message)")
        }
    }
}

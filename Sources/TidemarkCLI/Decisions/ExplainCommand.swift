import Tidemark

/// `tidemark explain`: why a record is not in step.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "say why a record is not in step, and what happens next"
    static let parameters = [Parameter.required("COLLECTION"), .required("PK")]
    static let options = [Option.store, Option.json]
    static let example = "tidemark explain --store phone.db notes 42"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try OpenStore(input)
        let explanation = try await store.collection(try input.required(0))[try input.required(1)].explain()
        guard input.has(Option.json) else {
            try console.print("\(explanation.pk) is \(explanation.phase). \(explanation.why)")
            try console.print("Next: \(explanation.next)")
            return .success
        }
        var line = JSONLine()
        line.add("pk", explanation.pk)
        line.add("phase", explanation.phase.description)
        line.add("why", explanation.why)
        line.add("next", explanation.next)
        try console.print(bytes: line.bytes)
        return .success
    }
}

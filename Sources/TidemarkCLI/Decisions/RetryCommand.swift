import Tidemark

/// `tidemark retry`: retries a held record.
enum RetryCommand: Command {
    static let name = "retry"
    static let summary = "retry a held record with the next sync"
    static let parameters = [Parameter.collection, .required("PK")]
    static let options = [Option.store]
    static let example = "tidemark retry --store phone.db notes 42"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(input)
        try await store.collection(try input.required(0))[try input.required(1)].retry()
        return .success
    }
}

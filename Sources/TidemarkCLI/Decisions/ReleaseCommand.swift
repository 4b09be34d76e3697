import Tidemark

/// `tidemark release`: lets a held record try again.
enum ReleaseCommand: Command {
    static let name = "release"
    static let summary = "let a held record try again"
    static let parameters = [Parameter.collection, .required("PK")]
    static let options = [Option.store]
    static let example = "tidemark release --store phone.db notes 42"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(input)
        try await store.collection(try input.required(0))[try input.required(1)].release()
        return .success
    }
}

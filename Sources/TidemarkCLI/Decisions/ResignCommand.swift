import Tidemark

/// `tidemark resign`: discards the local change that the server has not confirmed (R19–R21).
enum ResignCommand: Command {
    static let name = "resign"
    static let summary = "discard the pending change of a record; the journal keeps it"
    static let parameters = [Parameter.collection, .required("PK")]
    static let options = [Option.store]
    static let example = "tidemark resign --store phone.db notes 42"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(input)
        try await store.collection(try input.required(0))[try input.required(1)].resign()
        return .success
    }
}

import Tidemark

/// `tidemark delete`: deletes a record in the store; the next sync deletes it on the server.
enum DeleteCommand: Command {
    static let name = "delete"
    static let summary = "delete a record"
    static let parameters = [Parameter.collection, .required("PK")]
    static let options = [Option.store]
    static let example = "tidemark delete --store phone.db notes 42"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(input)
        try await store.collection(try input.required(0))[try input.required(1)].delete()
        return .success
    }
}

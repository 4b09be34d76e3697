import Tidemark

/// `tidemark restore`: brings a value that lost back, as a new edit.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "bring back what lost, as a new edit"
    static let parameters = [Parameter.required("COLLECTION"), .required("ENTRY")]
    static let options = [Option.store]
    static let example = "tidemark restore --store phone.db notes 7"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let text = try input.required(1)
        guard let entry = Int64(text) else {
            throw UsageError("\"\(text)\" is not the number of an entry, which tidemark journal prints", for: Self.self)
        }
        let store = try OpenStore(input)
        try await store.collection(try input.required(0)).restore(entry)
        return .success
    }
}

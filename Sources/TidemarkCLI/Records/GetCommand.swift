import Tidemark

/// `tidemark get`: prints a record as the app sees it, or its complete state.
enum GetCommand: Command {
    static let name = "get"
    static let summary = "print a record"
    static let parameters = [Parameter.collection, .required("PK")]
    static let options = [
        Option.store, Self.full,
    ]
    static let example = "tidemark get --store phone.db notes 42"

    private static let full = Option(name: "--full", summary: "also print state, data, upload and edits")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(reading: input, console)
        let (name, pk) = (try input.required(0), try input.required(1))
        // Before the record is read, since reading adds the collection to those that the client knows.
        let nearest = try await store.nearest(to: name).map { " Did you mean the collection \($0)?" } ?? ""
        guard let record = try await store.collection(name)[pk].snapshot() else {
            throw CommandFailure("There is no record “\(pk)” in \(name).\(nearest)")
        }
        if input.has(Self.full) {
            try console.print(bytes: try record.line(lineEnds: .asTheyAre))
            return .success
        }
        guard let view = record.raw.content else {
            throw CommandFailure("The record “\(pk)” in \(name) was deleted here.")
        }
        try console.print(bytes: view)
        return .success
    }
}

import Tidemark

/// `tidemark export`: prints a collection as the app sees it, one record per line.
enum ExportCommand: Command {
    static let name = "export"
    static let summary = "print all records of a collection, one per line (NDJSON)"
    static let parameters = [Parameter.collection]
    static let options = [Option.store]
    static let example = "tidemark export --store phone.db notes > notes.ndjson"

    /// How many records are in memory at a time; each can be several megabytes large.
    private static let page = 64

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let collection = try await OpenStore(input).known(try input.required(0))
        let visible = Set(SyncState.allCases).subtracting([.deleted])
        var last: String?
        while true {
            let records = try await collection.list(states: visible, after: last, limit: Self.page)
            for view in records.compactMap(\.raw.content) {
                try console.print(bytes: RecordSnapshot.LineEnds.spaces.applied(to: view))
            }
            guard records.count == Self.page, let pk = records.last?.pk else { return .success }
            last = pk
        }
    }
}

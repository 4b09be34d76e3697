import Tidemark

/// `tidemark list`: lists the records of a collection.
enum ListCommand: Command {
    static let name = "list"
    static let summary = "list the records of a collection"
    static let parameters = [Parameter.collection]
    static let options = [Option.store, Self.state, Option.json]
    static let example = "tidemark list --store phone.db notes --state EDITED"

    private static let state = Option(
        name: "--state", value: "STATE", summary: "only SYNCD, EDITED, CREATED or DELETED; can be repeated",
        isRepeated: true, kind: .choice(SyncState.allCases.map(\.rawValue)))

    /// How many records are in memory at a time.
    private static let page = 500

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let states = try Self.states(input)
        let collection = try await OpenStore(input).known(try input.required(0))
        var last: String?
        while true {
            let records = try await collection.list(states: states, after: last, limit: Self.page)
            for record in records {
                if input.has(Option.json) {
                    try console.print(bytes: try record.line(lineEnds: .spaces))
                } else {
                    try console.print(columns: record.row)
                }
            }
            guard records.count == Self.page, let pk = records.last?.pk else { return .success }
            last = pk
        }
    }

    private static func states(_ input: Arguments) throws(UsageError) -> Set<SyncState> {
        var states: Set<SyncState> = []
        for text in input.all(Self.state) {
            let name = text.uppercased() == "SYNCED" ? SyncState.synced.rawValue : text.uppercased()
            guard let state = SyncState(rawValue: name) else {
                let known = SyncState.allCases.map(\.rawValue)
                throw UsageError(
                    "--state \(text) is not a state; \(NearestName.hint(for: text, among: known))", for: Self.self)
            }
            states.insert(state)
        }
        return states.isEmpty ? Set(SyncState.allCases) : states
    }
}

extension RecordSnapshot {
    /// The line for the user.
    fileprivate var row: [String] {
        let text = self.raw.content.map { String(decoding: $0.prefix(200), as: UTF8.self) } ?? ""
        let lines = text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        let line = lines.map { Substring($0) }.joined(separator: " ")
        return [
            JSONString(self.pk).source, self.phase.description, line.count > 80 ? "\(line.prefix(79))…" : line,
        ]
    }
}

import Tidemark

/// `tidemark journal`: lists the values that lost, and the reasons.
enum JournalCommand: Command {
    static let name = "journal"
    static let summary = "list the values that lost in merges and decisions, and why"
    static let parameters = [Parameter.optional("COLLECTION", .collection), .optional("PK")]
    static let options = [Option.store, Option.json]
    static let example = "tidemark journal --store phone.db notes 42"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(reading: input, console)
        for collection in try await store.collections(input.position(0)) {
            let entries =
                if let pk = input.position(1) { try await collection[pk].journal } else { try await collection.journal }
            for entry in entries {
                if input.has(Option.json) {
                    try console.print(bytes: entry.line(in: collection.name).bytes)
                } else {
                    try console.print(columns: entry.columns(in: collection.name))
                }
            }
        }
        return .success
    }
}

extension JournalEntry {
    /// `{"entry","collection","pk","reason","lost","path","value"}`
    fileprivate func line(in collection: String) -> JSONLine {
        var line = JSONLine()
        line.add("entry", Int(self.number))
        line.add("collection", collection)
        line.add("pk", self.pk)
        line.add("reason", self.reason.name)
        line.add("lost", self.lostSide.rawValue)
        line.add("path", self.path.text)
        line.add("value", raw: self.raw.value)
        return line
    }

    /// The columns for the user.
    fileprivate func columns(in collection: String) -> [String] {
        [String(self.number), "\(collection) \(self.pk)", "\(self.reason): \(self.raw.sentence)"]
    }
}

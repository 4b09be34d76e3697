import Tidemark

/// `tidemark check`: compares the indexes of a store with its records.
enum CheckCommand: Command {
    static let name = "check"
    static let summary = "compare the indexes of a store with its records"
    static let parameters = [Parameter.optional("COLLECTION", .collection)]
    static let options = [Option.store, Option.json]
    static let example = "tidemark check --store phone.db"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        var hasFaults = false
        for collection in try await OpenStore(input).collections(input.position(0)) {
            let check = try await collection.checkIndexes()
            hasFaults = hasFaults || !check.faults.isEmpty
            if input.has(Option.json) {
                try console.print(bytes: check.line(of: collection.name).bytes)
            } else {
                for line in check.lines(of: collection.name) { try console.print(line) }
            }
        }
        if hasFaults {
            console.say(
                "An index differs from the records, so queries that use it can miss records. The records themselves are intact. "
                    + "Remove the index from the rules, run the app or a command once, and declare it again: then it is built anew."
            )
        }
        return hasFaults ? .failure : .success
    }
}

extension SyncClient.IndexCheck {
    /// `{"collection","indexes":[[path…]…],"incomplete":[…],"faults":[text…]}`
    fileprivate func line(of collection: String) -> JSONLine {
        func paths(_ indexes: [RecordIndex]) -> JSON { .array(indexes.map { .array($0.paths.map { JSON($0) }) }) }
        var line = JSONLine()
        line.add("collection", collection)
        line.add("indexes", paths(self.indexes))
        line.add("incomplete", paths(self.incomplete))
        line.add("faults", self.faults)
        return line
    }

    /// The lines for the user.
    fileprivate func lines(of collection: String) -> [String] {
        guard !self.indexes.isEmpty else { return ["\(collection): no indexes"] }
        let names = self.indexes.map { "\($0)\(self.incomplete.contains($0) ? " (incomplete, not used yet)" : "")" }
        let result = self.faults.isEmpty ? "as the records" : "different from the records:"
        return ["\(collection): \(names.joined(separator: ", ")): \(result)"] + self.faults.map { "  \($0)" }
    }
}

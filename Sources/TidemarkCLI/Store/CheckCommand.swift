import Tidemark

/// `tidemark check`: compares the indexes and references of a store with its records, or its records with the server.
enum CheckCommand: Command {
    static let name = "check"
    static let summary = "compare indexes with records, or records with the server"
    static let parameters = [Parameter.optional("COLLECTION", .collection)]
    static let options = [Option.store, Self.server, Option.json]
    static let example = "tidemark check --store phone.db --server"

    private static let server = Option(
        name: "--server",
        summary:
            "read each collection from the server as a new device would, and print where the store differs; nothing is changed"
    )

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        guard !input.has(Self.server) else { return try await ServerComparison.run(input, console) }
        var (hasFaults, hasReferenceFaults) = (false, false)
        for collection in try await OpenStore(reading: input, console).collections(input.position(0)) {
            let check = try await collection.checkIndexes()
            hasFaults = hasFaults || !check.faults.isEmpty
            hasReferenceFaults = hasReferenceFaults || !check.references.isEmpty
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
        if hasReferenceFaults {
            console.say(
                "References differ from the records, so changes can be sent in another order, or wait. The records themselves are "
                    + "intact. Remove the references from the rules, run the app or a command once, and declare them again: then "
                    + "they are read from the records."
            )
        }
        return hasFaults || hasReferenceFaults ? .failure : .success
    }
}

extension SyncClient.IndexCheck {
    /// `{"collection","indexes":[[path…]…],"incomplete":[…],"faults":[text…],"references":[text…]}`
    fileprivate func line(of collection: String) -> JSONLine {
        func paths(_ indexes: [RecordIndex]) -> JSON { .array(indexes.map { .array($0.paths.map { JSON($0) }) }) }
        var line = JSONLine()
        line.add("collection", collection)
        line.add("indexes", paths(self.indexes))
        line.add("incomplete", paths(self.incomplete))
        line.add("faults", self.faults)
        line.add("references", self.references)
        return line
    }

    /// The lines for the user.
    fileprivate func lines(of collection: String) -> [String] {
        let references = self.references.map { "  \($0)" }
        guard !self.indexes.isEmpty else { return ["\(collection): no indexes"] + references }
        let names = self.indexes.map { "\($0)\(self.incomplete.contains($0) ? " (incomplete, not used yet)" : "")" }
        let result = self.faults.isEmpty ? "as the records" : "different from the records:"
        return ["\(collection): \(names.joined(separator: ", ")): \(result)"] + self.faults.map { "  \($0)" }
            + references
    }
}

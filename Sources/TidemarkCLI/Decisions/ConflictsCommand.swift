import Tidemark

/// `tidemark conflicts`: lists the open conflicts.
enum ConflictsCommand: Command {
    static let name = "conflicts"
    static let summary = "list the conflicts that wait for the user's decision"
    static let parameters = [Parameter.optional("COLLECTION", .collection)]
    static let options = [Option.store, Option.json]
    static let example = "tidemark conflicts --store phone.db notes"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(reading: input, console)
        for collection in try await store.collections(input.position(0)) {
            for open in try await collection.conflicts {
                if input.has(Option.json) {
                    try console.print(bytes: open.conflict.line.bytes)
                } else {
                    for line in open.conflict.lines(of: store.path) { try console.print(line) }
                }
            }
        }
        return .success
    }
}

extension RecordConflict {
    /// `{"collection","pk","kind","updated_at","base","server","client","clashes":[{"path","base","server","client"}]}`
    fileprivate var line: JSONLine {
        var line = JSONLine()
        line.add("collection", self.collection)
        line.add("pk", self.pk)
        line.add("kind", self.kind.rawValue)
        line.add("updated_at", raw: self.version.map { Array($0.utf8) })
        line.add("base", self.base)
        line.add("server", self.server)
        line.add("client", self.client)
        line.add("clashes", JSON.array(self.clashes.map(\.json)))
        return line
    }

    /// The lines for the user.
    fileprivate func lines(of path: String) -> [String] {
        var lines = ["\(self.collection) \(self.pk): \(self.kind.rawValue)"]
        for clash in self.clashes {
            lines.append("  \(clash.path.isRoot ? "the record" : clash.path.text)")
            lines.append("    here:   \(clash.client?.text ?? "removed")")
            lines.append("    server: \(clash.server?.text ?? "removed")")
        }
        let resolve = "tidemark resolve --store \(ShellWords.quoted(path: path)) --take server"
        lines.append("  \(resolve) \(ShellWords.names(self.collection, self.pk))  # or --take client")
        return lines
    }
}

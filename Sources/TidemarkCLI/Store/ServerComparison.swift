import Tidemark
import TidemarkCore
import TidemarkSQLite

/// `tidemark check --server`: compares the records of a store with those of its server.
///
/// It compares copies of the store, so an app can have it open. Settings and names are read from the store itself if it is free.
enum ServerComparison {
    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let path = try input.required(Option.store)
        let store = try await OpenStore(reading: path, console)
        guard store.settings.remote != nil else {
            throw CommandFailure("\(path) has no server yet: run tidemark init with --remote URL.")
        }
        let names = try await store.collections(input.position(0)).map(\.name)
        let remote = try store.settings.makeRemote()
        await store.client.close()
        let check = try ServerCheck(
            of: remote, into: try SQLiteStore.inTemporaryFile(), time: SystemTime()
        ) { try OpenStore(try StoreCopy(of: path), of: path).client }
        var status = ExitStatus.success
        for outcome in try await check.run(names) {
            switch outcome {
            case .compared(let result):
                if !result.differences.isEmpty { status = .failure }
                try Self.print(result, asJSON: input.has(Option.json), console)
            case .unfinished(let name, let error):
                if input.has(Option.json) { try console.print(bytes: error.line(of: name).bytes) }
                try console.flush()
                console.say("\(name) was not compared: \(error.message)")
                if status == .success { status = error.isUnauthorized ? .unauthorized : .unreachable }
            }
        }
        return status
    }

    private static func print(
        _ result: ServerCheck.Result, asJSON: Bool, _ console: Console
    ) throws(OutputError) {
        guard !asJSON else { return try console.print(bytes: result.line.bytes) }
        try console.print(result.sentence)
        for difference in result.differences { try console.print("  \(difference.sentence)") }
        try console.flush()
    }
}

extension ServerCheck.Result {
    /// `{"collection","compared","changed_here","not_pulled","differences":[{"pk","kind","here","server","paths":[…]}]}`
    fileprivate var line: JSONLine {
        var line = JSONLine()
        line.add("collection", self.collection)
        line.add("compared", self.compared)
        line.add("changed_here", self.changedHere)
        line.add("not_pulled", self.notPulled)
        line.add("differences", JSON.array(self.differences.map(\.json)))
        if self.hasMore { line.add("has_more", JSON(true)) }
        return line
    }

    fileprivate var sentence: String {
        let others = [
            self.changedHere == 0 ? nil : "\(self.changedHere) changed here",
            self.notPulled == 0 ? nil : "\(self.notPulled) not pulled yet",
        ].compactMap { $0 }
        let left = others.isEmpty ? "" : " (not compared: \(others.joined(separator: ", ")))"
        let count = self.differences.count
        let differ = self.hasMore ? "\(count) or more differ" : count == 1 ? "1 differs" : "\(count) differ"
        let verdict = count == 0 ? "as on the server" : differ
        return "\(self.collection): \(self.compared) records compared, \(verdict)\(left)"
    }
}

extension ServerCheck.Unfinished {
    /// `{"collection","not_compared"}`
    fileprivate func line(of collection: String) -> JSONLine {
        var line = JSONLine()
        line.add("collection", collection)
        line.add("not_compared", self.message)
        return line
    }
}

extension ServerCheck.Difference {
    fileprivate var json: JSON {
        func version(_ text: String?) -> JSON { text.flatMap { try? JSON(parsing: Array($0.utf8)) } ?? .null }
        return [
            "pk": .string(JSONString(self.pk)), "kind": .string(JSONString(self.kind.rawValue)),
            "here": version(self.here), "server": version(self.server),
            "paths": .array(self.paths.map { .string(JSONString($0.text)) }),
        ]
    }

    fileprivate var sentence: String {
        let name = JSONString(self.pk).source
        let (here, server) = (self.here ?? "none", self.server ?? "none")
        return switch self.kind {
        case .onlyHere: "\(name): version \(here) here, and not on the server"
        case .onlyOnServer: "\(name): version \(server) on the server, and not here"
        case .otherVersion: "\(name): version \(here) here, \(server) on the server"
        case .otherData where self.paths.isEmpty: "\(name): version \(here) on both sides, written in another form"
        case .otherData:
            "\(name): version \(here) on both sides, with other data: \(self.paths.map { $0.isRoot ? "the record" : $0.text }.joined(separator: ", "))"
        }
    }
}

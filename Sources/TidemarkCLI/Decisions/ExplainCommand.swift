import Tidemark

/// `tidemark explain`: explains why a record is not in sync.
enum ExplainCommand: Command {
    static let name = "explain"
    static let summary = "explain why a record is not in sync, and what happens next"
    static let parameters = [Parameter.collection, .required("PK")]
    static let options = [Option.store, Option.json]
    static let example = "tidemark explain --store phone.db notes 42"

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(reading: input, console)
        let explanation = try await store.collection(try input.required(0))[try input.required(1)].explain()
        guard input.has(Option.json) else {
            try console.print(
                "\(explanation.pk) is \(explanation.phase) (\(explanation.phase.inWords)). \(explanation.why)")
            try console.print("Next: \(explanation.next)")
            for line in explanation.lastMerge?.lines ?? [] { try console.print(line) }
            for entry in explanation.replaced {
                let place = entry.path.isRoot ? "the record" : JSONString(entry.path.text).source
                try console.print(
                    "Another client replaced \(place), which this store had sent: entry \(entry.number) of the journal."
                )
            }
            return .success
        }
        var line = JSONLine()
        line.add("pk", explanation.pk)
        line.add("phase", explanation.phase.description)
        line.add("why", explanation.why)
        line.add("next", explanation.next)
        if let merge = explanation.lastMerge { line.add("last_merge", merge.json) }
        if !explanation.replaced.isEmpty {
            line.add("replaced", JSON.array(explanation.replaced.map { JSON(Int($0.number)) }))
        }
        try console.print(bytes: line.bytes)
        return .success
    }
}

extension RecordPhase {
    /// The meaning for the user.
    fileprivate var inWords: String {
        switch self {
        case .absent: "not in this store"
        case .synced: SyncState.synced.inWords
        case .edited(let activity): "\(SyncState.edited.inWords), \(activity.inWords)"
        case .created(let activity): "\(SyncState.created.inWords), \(activity.inWords)"
        case .deleted(let activity): "\(SyncState.deleted.inWords), \(activity.inWords)"
        }
    }
}

extension RecordPhase.Activity {
    fileprivate var inWords: String {
        switch self {
        case .idle: "to be sent"
        case .uploading: "being sent"
        case .unconfirmed: "sent, without an answer so far"
        case .deciding: "to be decided"
        case .held: "held back"
        }
    }
}

extension RecordExplanation.MergeSummary {
    /// The merged paths, line by line, for the user.
    fileprivate var lines: [String] {
        guard !(self.fromHere.isEmpty && self.fromServer.isEmpty && self.onBoth.isEmpty) else { return [] }
        let version = self.version.map { " with the server's version \($0)" } ?? ""
        let places = [
            ("kept from this device", self.fromHere), ("taken from the server", self.fromServer),
            ("changed on both sides", self.onBoth),
        ]
        return ["The last merge\(version):"]
            + places.filter { !$0.1.isEmpty }.flatMap { name, paths in
                ["  \(name):"] + paths.map { "    \($0.isEmpty ? "the record" : JSONString($0).source)" }
            }
    }
}

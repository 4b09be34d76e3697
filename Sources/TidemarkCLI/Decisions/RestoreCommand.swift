import Tidemark

/// `tidemark restore`: brings a value that lost back, as a new edit; or all that lost for one reason.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "bring back what lost, as a new edit"
    static let parameters = [Parameter.optional("COLLECTION", .collection), .optional("ENTRY")]
    static let options = [Option.store, Self.all]
    static let example = "tidemark restore --store phone.db notes 7"

    private static let all = Option(
        name: "--all", value: "REASON",
        summary: "all that lost for this reason, such as server-went-back, and was not brought back so before")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        if input.has(Self.all) { return try await Self.restoreAll(input, console) }
        let name = try input.required(0)
        let text = try input.required(1)
        guard let entry = Int64(text) else {
            throw UsageError("“\(text)” is not the number of an entry, which tidemark journal prints", for: Self.self)
        }
        let store = try await OpenStore(input)
        try await store.collection(name).restore(entry)
        return .success
    }

    /// What could not be brought back is said, entry by entry, and makes the command fail.
    private static func restoreAll(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        if let extra = input.position(1) {
            throw UsageError("“\(extra)” is one word too many: --all takes no ENTRY", for: Self.self)
        }
        let reason = try Self.reason(input)
        let store = try await OpenStore(input)
        var status = ExitStatus.success
        var isNothing = true
        for collection in try await store.collections(input.position(0)) {
            let restoration = try await collection.restoreAll(reason: reason)
            isNothing = isNothing && restoration.restored.isEmpty && restoration.left.isEmpty
            for left in restoration.left {
                console.say("\(collection.name) \(left.pk): entry \(left.entry) stays in the journal. \(left.why)")
                status = .failure
            }
            guard !restoration.restored.isEmpty else { continue }
            console.say(
                "\(collection.name): \(restoration.restored.count.values) brought back; tidemark sync sends them.")
        }
        if isNothing { console.say("Nothing is to be brought back that lost for the reason \(reason).") }
        return status
    }

    /// A mistyped reason would bring back nothing, and say nothing.
    private static func reason(_ input: Arguments) throws(UsageError) -> JournalEntry.Reason {
        let name = try input.required(Self.all)
        let known = JournalEntry.Reason.known
        guard let reason = known.first(where: { CodePointString($0.name) == CodePointString(name) }) else {
            throw UsageError(
                "--all \(name): \(NearestName.hint(for: name, among: known.map(\.name)))", for: Self.self)
        }
        return reason
    }
}

import Tidemark

/// `tidemark trace`: what the state machines of a store did, to be replayed elsewhere.
enum TraceCommand: Command {
    static let name = "trace"
    static let summary = "print the last transitions of the state machines, for tidemark replay"
    static let parameters = [Parameter.repeated("COLLECTION", .collection)]
    static let options = [Option.store, Self.names]
    static let example = "tidemark trace --store phone.db notes >phone.trace"

    private static let names = Option(
        name: "--names",
        summary: "with the names of records, which are #1, #2, … when left out; contents never are in it")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(input)
        for name in input.positions { _ = try await store.known(name) }
        var trace = try await store.client.trace
        if trace.entries.isEmpty {
            console.say(
                "\(store.path) keeps no trace yet. An app keeps one where its configuration has a traceLimit; this tool does always."
            )
        }
        if !input.positions.isEmpty { trace = trace.of(input.positions) }
        if !input.has(Self.names) { trace = trace.withoutNames() }
        try console.print(bytes: Array(trace.text.utf8), end: "")
        return .success
    }
}

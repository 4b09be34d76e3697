import Tidemark

/// `tidemark trace`: prints the latest transitions of a store's state machines, for a replay on another machine.
enum TraceCommand: Command {
    static let name = "trace"
    static let summary = "print the latest transitions of the state machines, for replay"
    static let parameters = [Parameter.repeated("COLLECTION", .collection)]
    static let options = [Option.store, Self.names]
    static let example = "tidemark trace --store phone.db notes >phone.trace"

    private static let names = Option(
        name: "--names",
        summary: "print the pks of records, not #1, #2, …; contents are never printed")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(reading: input, console)
        for name in input.positions { _ = try await store.known(name) }
        var trace = try await store.client.trace
        if trace.entries.isEmpty {
            console.say(
                "\(store.path) has no trace yet. An app records one if its configuration has a traceLimit; this tool always does."
            )
        }
        if !input.positions.isEmpty { trace = trace.of(input.positions) }
        if !input.has(Self.names) { trace = trace.withoutNames() }
        try console.print(bytes: Array(trace.text.utf8), end: "")
        return .success
    }
}

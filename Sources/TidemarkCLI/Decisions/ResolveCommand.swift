import Foundation
import Tidemark

/// `tidemark resolve`: decides a conflict; without a decision in its options, it asks field by field on a terminal.
enum ResolveCommand: Command {
    static let name = "resolve"
    static let summary = "decide a conflict; on a terminal, field by field"
    static let parameters = [Parameter.collection, .required("PK")]
    static let options = [Option.store, Self.take, Self.whole, Self.use, Self.keepBoth]
    static let example = "tidemark resolve --store phone.db notes 42 --take server"

    private static let take = Option(
        name: "--take", value: "SIDE",
        summary: "server or client: this side wins where both clash; the rest is merged",
        kind: .choice(["server", "client"]))
    private static let whole = Option(
        name: "--whole", summary: "with --take: keep the whole record of this side, without the other side's changes")
    private static let use = Option(name: "--use", value: "FILE", summary: "keep the record in this file", kind: .file)
    private static let keepBoth = Option(
        name: "--keep-both", summary: "keep the server's record, and give this device's a new pk, which is printed")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let newPK = UUID().uuidString.lowercased()
        if ![Self.take, Self.whole, Self.use, Self.keepBoth].contains(where: { input.has($0) }),
            let terminal = SystemTerminal(console)
        {
            return try await Self.ask(input, newPK, terminal, console)
        }
        let verdict = try Self.verdict(input, newPK, console)
        let store = try await OpenStore(input)
        return try await Self.carryOut(verdict, try await Self.conflict(input, store), store, newPK, console)
    }

    /// Asks the user while the store is closed: no other process can use an open store, and the user may take long. The
    /// decision is about the values that the user saw, however long that took (R22).
    private static func ask(
        _ input: Arguments, _ newPK: String, _ terminal: SystemTerminal, _ console: Console
    ) async throws -> ExitStatus {
        let store = try await OpenStore(input)
        let conflict = try await Self.conflict(input, store)
        await store.client.close()
        let review = ConflictReview(conflict, newPK: newPK)
        guard let verdict = ConflictDialog(terminal: terminal).verdict(review) else {
            console.say("Nothing was decided; the conflict is still open.")
            return .failure
        }
        return try await Self.carryOut(verdict, conflict, try await OpenStore(input), newPK, console)
    }

    private static func carryOut(
        _ verdict: Verdict, _ conflict: RecordConflict, _ store: OpenStore, _ newPK: String, _ console: Console
    ) async throws -> ExitStatus {
        try await store.collection(conflict.collection).resolve(conflict, verdict)
        if verdict == .keepBoth(newPK: newPK) { try console.print(newPK) }
        return .success
    }

    private static func conflict(_ input: Arguments, _ store: OpenStore) async throws -> RecordConflict {
        let (name, pk) = (try input.required(0), CodePointString(try input.required(1)))
        let conflicts = try await store.collection(name).conflicts.map(\.conflict)
        guard let conflict = conflicts.first(where: { CodePointString($0.pk) == pk }) else {
            throw CommandFailure(
                "“\(pk)” in \(name) has no open conflict. To list those that are open: tidemark conflicts --store \(ShellWords.quoted(path: store.path))"
            )
        }
        return conflict
    }

    private static func verdict(_ input: Arguments, _ newPK: String, _ console: Console) throws -> Verdict {
        let isWhole = input.has(Self.whole)
        guard !isWhole || input.has(Self.take) else {
            throw UsageError("--whole needs --take: --take server --whole", for: Self.self)
        }
        guard [Self.take, Self.use, Self.keepBoth].filter({ input.has($0) }).count == 1 else {
            throw UsageError(
                "give exactly one decision: --take server, --take client, --use FILE or --keep-both", for: Self.self)
        }
        if input.has(Self.keepBoth) { return .keepBoth(newPK: newPK) }
        if let path = input.value(Self.use) { return .merge(try InputText(path, console).json(console)) }
        switch input.value(Self.take) {
        case "server": return isWhole ? .takeServer : .clashes(.server)
        case "client": return isWhole ? .takeClient : .clashes(.client)
        case let side: throw UsageError("--take \(side ?? "") is neither server nor client", for: Self.self)
        }
    }
}

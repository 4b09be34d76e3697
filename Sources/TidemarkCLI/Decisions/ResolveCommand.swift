import Foundation
import Tidemark

/// `tidemark resolve`: decides a conflict; on a terminal, and told nothing more, it asks field by field.
enum ResolveCommand: Command {
    static let name = "resolve"
    static let summary = "decide a conflict; on a terminal it asks field by field"
    static let parameters = [Parameter.collection, .required("PK")]
    static let options = [Option.store, Self.take, Self.whole, Self.use, Self.keepBoth]
    static let example = "tidemark resolve --store phone.db notes 42 --take server"

    private static let take = Option(
        name: "--take", value: "SIDE",
        summary: "server or client: this side's values stand where both clash, and the rest is merged",
        kind: .choice(["server", "client"]))
    private static let whole = Option(
        name: "--whole", summary: "with --take: the whole record of this side stands, as if the other had done nothing")
    private static let use = Option(name: "--use", value: "FILE", summary: "this record stands", kind: .file)
    private static let keepBoth = Option(
        name: "--keep-both", summary: "the server's stands, and ours gets a pk of its own, which is printed")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let newPK = UUID().uuidString.lowercased()
        if ![Self.take, Self.whole, Self.use, Self.keepBoth].contains(where: { input.has($0) }),
            let terminal = SystemTerminal(console)
        {
            return try await Self.ask(input, newPK, terminal, console)
        }
        let verdict = try Self.verdict(input, newPK, console)
        return try await Self.carryOut(verdict, try await Self.conflict(input, try OpenStore(input)), newPK, console)
    }

    /// Asks a person, with the store closed: nobody else can use it while it is open, and people take their time.
    private static func ask(
        _ input: Arguments, _ newPK: String, _ terminal: SystemTerminal, _ console: Console
    ) async throws -> ExitStatus {
        let review = try await Self.review(input, newPK)
        guard let verdict = ConflictDialogue(terminal: terminal).verdict(review) else {
            console.say("Nothing was decided; it waits for you as before.")
            return .failure
        }
        let conflict = try await Self.conflict(input, try OpenStore(input))
        guard conflict.facts.isAbout(sameFactsAs: review.conflict) else {
            throw CommandFailure(
                "\"\(conflict.facts.pk)\" in \(conflict.facts.collection) has changed since you were asked. "
                    + "Look at the conflict again, and decide anew.")
        }
        return try await Self.carryOut(verdict, conflict, newPK, console)
    }

    private static func review(_ input: Arguments, _ newPK: String) async throws -> ConflictReview {
        let store = try OpenStore(input)
        let conflict = try await Self.conflict(input, store).facts
        let fields = try store.settings.configuration()[conflict.collection].fields
        return ConflictReview(conflict, fields: fields, newPK: newPK)
    }

    private static func carryOut(
        _ verdict: Verdict, _ conflict: OpenConflict, _ newPK: String, _ console: Console
    ) async throws -> ExitStatus {
        try await conflict.resolve(verdict)
        if verdict == .keepBoth(newPK: newPK) { try console.print(newPK) }
        return .success
    }

    private static func conflict(_ input: Arguments, _ store: OpenStore) async throws -> OpenConflict {
        let (name, pk) = (try input.required(0), CodePointString(try input.required(1)))
        let conflicts = try await store.collection(name).conflicts
        guard let conflict = conflicts.first(where: { CodePointString($0.facts.pk) == pk }) else {
            throw CommandFailure(
                "\"\(pk)\" in \(name) waits for no decision. What does: tidemark conflicts --store \(ShellWords.quoted(store.path))"
            )
        }
        return conflict
    }

    private static func verdict(_ input: Arguments, _ newPK: String, _ console: Console) throws -> Verdict {
        let isWhole = input.has(Self.whole)
        guard !isWhole || input.has(Self.take) else {
            throw UsageError("--whole says how much --take takes: --take server --whole", for: Self.self)
        }
        guard [Self.take, Self.use, Self.keepBoth].filter({ input.has($0) }).count == 1 else {
            throw UsageError(
                "say what stands, in one way: --take server, --take client, --use FILE or --keep-both", for: Self.self)
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

extension RecordConflict {
    /// Whether a decision about the other conflict is one about this (R22).
    fileprivate func isAbout(sameFactsAs other: RecordConflict) -> Bool {
        self.stamp == other.stamp && self.server == other.server && self.client == other.client
    }
}

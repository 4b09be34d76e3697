import Foundation
import Tidemark

/// `tidemark resolve`: decides a conflict.
enum ResolveCommand: Command {
    static let name = "resolve"
    static let summary = "decide a conflict"
    static let parameters = [Parameter.required("COLLECTION"), .required("PK")]
    static let options = [Option.store, Self.take, Self.use, Self.keepBoth]
    static let example = "tidemark resolve --store phone.db notes 42 --take server"

    private static let take = Option(
        name: "--take", value: "SIDE", summary: "server or client: this side stands, the other goes to the journal")
    private static let use = Option(name: "--use", value: "FILE", summary: "this record stands")
    private static let keepBoth = Option(
        name: "--keep-both", summary: "the server's stands, and ours gets a pk of its own, which is printed")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let newPK = UUID().uuidString.lowercased()
        let verdict = try Self.verdict(input, newPK, console)
        let store = try OpenStore(input)
        let (name, pk) = (try input.required(0), CodePointString(try input.required(1)))
        let conflicts = try await store.collection(name).conflicts
        guard let conflict = conflicts.first(where: { CodePointString($0.facts.pk) == pk }) else {
            throw CommandFailure(
                "\"\(pk)\" in \(name) waits for no decision. What does: tidemark conflicts --store \(store.path)")
        }
        try await conflict.resolve(verdict)
        if input.has(Self.keepBoth) { try console.print(newPK) }
        return .success
    }

    private static func verdict(_ input: Arguments, _ newPK: String, _ console: Console) throws -> Verdict {
        guard [Self.take, Self.use, Self.keepBoth].filter({ input.has($0) }).count == 1 else {
            throw UsageError(
                "say what stands, in one way: --take server, --take client, --use FILE or --keep-both", for: Self.self)
        }
        if input.has(Self.keepBoth) { return .keepBoth(newPK: newPK) }
        if let path = input.value(Self.use) { return .merge(try InputText(path).json(console)) }
        switch input.value(Self.take) {
        case "server": return .takeServer
        case "client": return .takeClient
        case let side: throw UsageError("--take \(side ?? "") is neither server nor client", for: Self.self)
        }
    }
}

import Tidemark
import TidemarkCore

/// `tidemark sync`: syncs collections with the server, once.
enum SyncCommand: Command {
    static let name = "sync"
    static let summary = "send local changes and fetch the server's, once"
    static let parameters = [Parameter.repeated("COLLECTION", .collection)]
    static let options = [
        Option.store, Self.wait, Self.dryRun,
        Option(name: "--json", summary: "print the report as one JSON object; with --dry-run, one object per record"),
    ]
    static let example = "tidemark sync --store phone.db notes"

    private static let dryRun = Option(name: "--dry-run", summary: "print what would be sent first, but send nothing")
    private static let wait = Option(name: "--wait", summary: "retry until the server has answered")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        if input.has(Self.dryRun) {
            guard !input.has(Self.wait) else {
                throw UsageError("--dry-run contacts no server, so there is nothing to --wait for", for: Self.self)
            }
            return try await SyncPreview.run(input, console)
        }
        let path = try input.required(Option.store)
        let progress = SyncProgressBar(console)
        let store = try await OpenStore(path: path)
        guard store.settings.remote != nil else {
            throw CommandFailure(
                "\(path) has no server yet. Run: tidemark init --store \(ShellWords.quoted(path: path)) --remote URL")
        }
        let known = try await store.client.collectionNames
        let names = input.positions.isEmpty ? known : input.positions.unique
        if names.isEmpty {
            console.say(
                "This store has no collection yet. Name one: tidemark sync --store \(ShellWords.quoted(path: path)) COLLECTION"
            )
        }
        let time = SystemTime()
        let rounds = SyncRounds(
            waits: input.has(Self.wait), now: { time.now }, waitUntil: { try await time.sleep(until: $0) },
            say: { console.say($0) })
        var report = try await rounds.run(names) { try await Self.round(store, $0, progress) }
        let strangers = try await Self.forgetStrangers(in: &report, store, known: known, progress)
        try Self.print(report, strangers, input, console)
        // The result first, then the advice.
        try console.flush()
        for line in report.advice(path, now: time.now) { console.say(line) }
        for name in strangers {
            let nearest = try await store.nearest(to: name).map { "; did you mean \($0)?" } ?? "."
            console.say("“\(name)” is neither in this store nor on the server\(nearest) Nothing was stored.")
        }
        let status = ExitStatus(report.outcome)
        return status == .success && !strangers.isEmpty ? .failure : status
    }

    private static func print(
        _ report: SyncReport, _ strangers: [String], _ input: Arguments, _ console: Console
    ) throws {
        if input.has(Option.json) { return try console.print(bytes: report.line(unknown: strangers).bytes) }
        for collection in report.collections { try console.print(collection.sentence) }
    }

    /// Removes mistyped collections from the store and the report: those that were not in the store before and of which
    /// the server has no row.
    private static func forgetStrangers(
        in report: inout SyncReport, _ store: OpenStore, known: [String], _ progress: SyncProgressBar
    ) async throws -> [String] {
        let known = Set(known.map { CodePointString($0) })
        var strangers: [String] = []
        for collection in report.collections where !known.contains(CodePointString(collection.collection)) {
            let name = collection.collection
            guard collection.outcome == .inSync, !progress.hasRows(of: name) else { continue }
            try await store.collection(name).forget()
            strangers.append(name)
        }
        let gone = Set(strangers.map { CodePointString($0) })
        report.collections.removeAll { gone.contains(CodePointString($0.collection)) }
        return strangers
    }

    private static func round(
        _ store: OpenStore, _ names: [String], _ progress: SyncProgressBar
    ) async throws -> SyncReport {
        var report = SyncReport()
        defer { progress.finish() }
        for name in names {
            progress.begin(name, toSend: try await store.collection(name).status.toSend)
            report.collections += try await store.client.sync([name]) { all in
                for part in all.collections { progress.show(part) }
            }.collections
        }
        return report
    }
}

extension [String] {
    /// Each name once, in the order of first occurrence.
    var unique: [String] {
        var seen: Set<CodePointString> = []
        return self.filter { seen.insert(CodePointString($0)).inserted }
    }
}

import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// What needs attention, each with its cause and what helps.

extension InspectorData {
    mutating func addConflicts(of records: SyncCollection<JSON>) async throws(TidemarkError) {
        let open = try await records.conflicts
        self.conflictCount += open.count
        self.problemCount += max(0, open.count - self.limits.problems)
        for conflict in open.prefix(self.limits.problems).map(\.conflict) {
            let (name, pk) = (conflict.collection, conflict.pk)
            let digest = self.source.allowsActions ? try await records.digest(of: pk) : nil
            let commands = ["server", "client"].compactMap { self.source.command(["resolve", "--take", $0], name, pk) }
            self.conflicts.element(conflict, commands: commands, digest: digest)
            self.reader.add(conflict)
            let paths = conflict.clashes.prefix(5).map { $0.path.isRoot ? "the record" : $0.path.text }
            let more = conflict.clashes.count > 5 ? ", …" : ""
            self.addProblem(
                "conflict", name, pk, why: "Both sides changed \(paths.joined(separator: ", "))\(more).",
                helps: "Decide by field, or take one side.", commands: commands, digest: digest)
        }
    }

    mutating func addHeld(
        _ status: SyncStatus.Collection, of records: SyncCollection<JSON>
    ) async throws(TidemarkError) {
        self.problemCount += max(0, status.held.count - self.limits.problems)
        let shown = Array(status.held.prefix(self.limits.problems))
        let explanations = try await records.explanations(of: shown.map(\.pk))
        for (held, explanation) in zip(shown, explanations) {
            self.reader.markUrgent(held.pk)
            let isOfServer = explanation?.reason == .malformed
            let words = isOfServer ? [["explain"]] : [["retry"], ["resign"]]
            let digest = self.source.allowsActions ? try await records.digest(of: held.pk) : nil
            self.addProblem(
                isOfServer ? "malformed" : "held", records.name, held.pk,
                why: isOfServer ? held.reason : explanation?.why ?? held.reason, helps: explanation?.next ?? "",
                commands: words.compactMap { self.source.command($0, records.name, held.pk) }, digest: digest,
                actions: isOfServer ? [] : ["retry", "resign"])
        }
    }

    mutating func addWaiting(_ waiting: [CollectionReport.Waiting], of collection: String) {
        self.problemCount += max(0, waiting.count - self.limits.problems)
        for change in waiting.prefix(self.limits.problems) {
            self.reader.markUrgent(change.pk)
            self.addProblem(
                "waiting", collection, change.pk, why: "It waits for \(change.collection)/\(change.awaited).",
                helps: "It is sent as soon as that one is decided.",
                commands: [self.source.command(["explain"], collection, change.pk)].compactMap { $0 })
        }
    }

    /// Damage of records, or of a collection, which hides nothing else.
    mutating func addDamage(_ pk: String?, _ why: String, in collection: String) {
        self.addProblem(
            "damaged", collection, pk, why: why,
            helps: "It is left out. Restore a backup of the store, or sync a new one.",
            commands: [])
    }

    /// What concerns a collection as a whole.
    mutating func addState(_ collection: SyncStatus.Collection, in status: SyncStatus) {
        let name = collection.collection
        if let pause = status.pause(of: name) {
            self.addProblem(
                "paused", name, nil, why: pause, helps: "No data is lost. Fix the cause, then resume.", commands: [],
                actions: ["resume"])
        }
        if collection.lostByServer > 0 {
            self.addProblem(
                "rolled-back", name, nil,
                why: "The server was rolled back to an earlier state, and lost \(collection.lostByServer) values.",
                helps: "They are in the journal, and can be restored from there.",
                commands: [self.source.command(["restore", "--all", "server-rolled-back"], name, nil)].compactMap { $0 }
            )
        }
    }

    private mutating func addProblem(
        _ kind: String, _ collection: String, _ pk: String?, why: String, helps: String, commands: [String],
        digest: String? = nil, actions: [String] = []
    ) {
        self.problemCount += 1
        self.problems.object {
            $0.member("kind", kind)
            $0.member("collection", collection)
            if let pk { $0.member("pk", pk) }
            $0.member("why", why)
            $0.member("helps", helps)
            $0.strings("commands", commands)
            guard self.source.allowsActions else { return }
            $0.strings("actions", actions)
            if let digest { $0.member("digest", digest) }
        }
    }
}

extension SyncStatus {
    /// Why a collection makes no request until someone acts; nil if it is not paused.
    func pause(of collection: String) -> String? {
        guard case .paused(let why) = self.summary(of: collection) else { return nil }
        return why.message
    }
}

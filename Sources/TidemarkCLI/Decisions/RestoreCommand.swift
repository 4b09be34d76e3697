import Tidemark

/// `tidemark restore`: restores a lost value as a new edit, or all values lost for one reason.
enum RestoreCommand: Command {
    static let name = "restore"
    static let summary = "restore a value from the journal, as a new edit"
    static let parameters = [Parameter.optional("COLLECTION", .collection), .optional("ENTRY")]
    static let options = [Option.store, Self.all, Option.json]
    static let example = "tidemark restore --store phone.db notes 7"

    private static let all = Option(
        name: "--all", value: "REASON",
        summary: "all values that lost for this reason and are not restored yet, such as server-rolled-back")

    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        if input.has(Self.all) { return try await Self.restoreAll(input, console) }
        let name = try input.required(0)
        let text = try input.required(1)
        guard let entry = Digits.number(text[...]).map(Int64.init) else {
            throw UsageError("“\(text)” is not the number of an entry, which tidemark journal prints", for: Self.self)
        }
        let store = try await OpenStore(input)
        try await store.collection(name).restore(entry)
        return .success
    }

    /// Prints each entry that was not restored. The command fails for one, unless a newer value is in its place.
    private static func restoreAll(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        if let extra = input.position(1) {
            throw UsageError("“\(extra)” is one word too many: --all takes no ENTRY", for: Self.self)
        }
        let reason = try Self.reason(input)
        let store = try await OpenStore(input)
        var restorations: [JournalEntry.Restoration] = []
        for collection in try await store.collections(input.position(0)) {
            let restoration = try await collection.restoreAll(reason: reason)
            if !restoration.restored.isEmpty || !restoration.left.isEmpty { restorations.append(restoration) }
        }
        for restoration in restorations {
            if input.has(Option.json) { try console.print(bytes: restoration.line.bytes) }
            for sentence in restoration.sentences { console.say(sentence) }
        }
        if restorations.isEmpty { console.say("No value that lost for the reason \(reason) is left to restore.") }
        let isWhole = restorations.allSatisfy { $0.left.allSatisfy { $0.reason == .changedSince } }
        return isWhole ? .success : .failure
    }

    /// Checks the reason: a mistyped one would restore nothing without a message.
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

extension JournalEntry.Restoration {
    /// `{"collection","restored":[ENTRY,…],"left":[{"entry","pk","reason","why"},…]}`
    fileprivate var line: JSONLine {
        let left = self.left.map { left -> JSON in
            [
                "entry": .number(JSONNumber(Int(left.entry))), "pk": .string(JSONString(left.pk)),
                "reason": .string(JSONString(left.reason.rawValue)), "why": .string(JSONString(left.why)),
            ]
        }
        var line = JSONLine()
        line.add("collection", self.collection)
        line.add("restored", JSON.array(self.restored.map { .number(JSONNumber(Int($0))) }))
        line.add("left", JSON.array(left))
        return line
    }

    /// The sentences for the user: each entry that was not restored, and the numbers.
    fileprivate var sentences: [String] {
        var sentences = self.left.map { left in
            "\(self.collection) \(left.pk): entry \(left.entry) stays in the journal. \(left.why)"
        }
        if !self.restored.isEmpty {
            sentences.append(
                "\(self.collection): \(self.restored.count.values) restored; tidemark sync --store FILE sends them.")
        }
        let newer = self.left.count { $0.reason == .changedSince }
        if newer > 0 {
            sentences.append(
                "\(self.collection): \(newer.values) not restored, since newer values replaced them; "
                    + "tidemark restore --store FILE \(ShellWords.names(self.collection)) ENTRY restores one anyway.")
        }
        return sentences
    }
}

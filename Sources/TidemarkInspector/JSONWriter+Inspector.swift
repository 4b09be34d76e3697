import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

// The parts of the data; `Page/FORMAT.md` describes them.

extension JSONWriter {
    /// Writes a list with the number of all its elements, of which it may have fewer.
    mutating func list(_ name: String, _ elements: JSONWriter, total: Int) {
        self.key(name)
        self.object {
            $0.member("total", total)
            $0.list("items", elements)
        }
    }

    /// Writes an array of elements that are written already.
    mutating func list(_ name: String, _ elements: JSONWriter) {
        self.key(name)
        self.array { $0.json(elements.bytes) }
    }

    mutating func strings(_ name: String, _ texts: [String]) {
        guard !texts.isEmpty else { return }
        self.key(name)
        self.array { for text in texts { $0.string(text) } }
    }

    /// Writes JSON text as a string, with the digits and the order that it has; nothing for nil.
    private mutating func document(_ name: String, _ text: [UInt8]?) {
        guard let text else { return }
        self.member(name, String(decoding: text, as: UTF8.self))
    }

    private mutating func time(_ name: String, _ time: Duration?) {
        guard let time else { return }
        self.member(name, time.wholeMilliseconds)
    }

    // MARK: - Collections

    mutating func addStatus(_ status: SyncStatus) {
        var next: Duration?
        if case .waiting(let until, _) = status.summary { next = until }
        self.member("words", status.sentence)
        self.time("lastInSync", status.lastInSync)
        self.time("nextTry", next)
        guard let run = status.run else { return }
        self.member("requests", run.requests)
        self.member("bytes", run.bytes)
    }

    mutating func element(_ collection: SyncStatus.Collection, waiting: Int, pause: String?) {
        self.object {
            $0.member("name", collection.collection)
            $0.key("counts")
            $0.object {
                for state in SyncState.allCases {
                    if let count = collection.counts[state], count > 0 { $0.member(state.rawValue, count) }
                }
            }
            $0.member("conflicts", collection.conflicts.count)
            $0.member("held", collection.held.count)
            $0.member("waiting", waiting)
            if let pause { $0.member("paused", pause) }
            $0.time("lastInSync", collection.lastInSync)
            if let cursor = collection.cursor { $0.member("cursor", cursor) }
        }
    }

    mutating func element(_ upload: SyncClient.PlannedUpload, in collection: String) {
        let activity: RecordPhase.Activity = upload.requestID == nil ? .idle : .unconfirmed
        let phase: RecordPhase =
            switch upload.state {
            case .synced: .synced
            case .edited: .edited(activity)
            case .created: .created(activity)
            case .deleted: .deleted(activity)
            }
        self.object {
            $0.member("collection", collection)
            $0.member("pk", upload.pk)
            $0.member("phase", phase.description)
            $0.member("bytes", upload.patch?.bytes.count ?? 0)
            $0.member("edits", upload.patch?.operations.count ?? 1)
            if let request = upload.requestID { $0.member("request", request) }
        }
    }

    // MARK: - Records

    mutating func element(
        _ record: RecordSnapshot, _ explanation: RecordExplanation?, _ conflict: RecordConflict?, commands: [String],
        digest: String? = nil
    ) {
        let raw = record.raw
        self.object {
            $0.member("collection", record.collection)
            $0.member("pk", record.pk)
            $0.member("phase", record.phase.description)
            $0.member("state", record.phase.state?.rawValue ?? "")
            $0.document("base", raw.confirmed)
            $0.document("seen", conflict?.server?.bytes)
            $0.document("upload", raw.upload.flatMap { (try? JSON(parsing: $0.edit))?["edited_data"]?.bytes })
            $0.document("pending", raw.pendingPatch)
            if raw.content != raw.confirmed { $0.document("view", raw.content) }
            if let version = raw.version { $0.member("version", version) }
            if let upload = raw.upload { $0.member("request", upload.requestID) }
            if let hold = record.hold { $0.add(hold) }
            $0.strings("why", [record.damage, explanation?.why].compactMap { $0 })
            $0.strings("next", [explanation?.next].compactMap { $0 })
            $0.strings("commands", commands)
            guard let digest else { return }
            $0.member("digest", digest)
            let canRetry = record.phase.activity == .held
            // A conflict is decided, not discarded.
            let canResign = record.phase != .synced && record.phase.activity != .deciding
            $0.strings("actions", (canRetry ? ["retry"] : []) + (canResign ? ["resign"] : []))
        }
    }

    private mutating func add(_ hold: RecordHold) {
        self.key("hold")
        self.object {
            if let status = hold.problem?.status { $0.member("status", status) }
            $0.member("words", hold.reason)
            let errors = hold.problem?.errors ?? [:]
            guard !errors.isEmpty else { return }
            $0.key("fields")
            $0.array {
                for (path, messages) in errors.sorted(by: { $0.key < $1.key }) {
                    $0.object {
                        $0.member("path", path)
                        $0.member("words", messages.joined(separator: "; "))
                    }
                }
            }
        }
    }

    mutating func element(_ conflict: RecordConflict, commands: [String], digest: String?) {
        self.object {
            $0.member("collection", conflict.collection)
            $0.member("pk", conflict.pk)
            $0.member("kind", conflict.kind.rawValue)
            $0.key("clashes")
            $0.array {
                for clash in conflict.clashes {
                    $0.object {
                        $0.member("path", clash.path.text)
                        $0.document("base", clash.base?.bytes)
                        $0.document("server", clash.server?.bytes)
                        $0.document("client", clash.client?.bytes)
                    }
                }
            }
            $0.strings("commands", commands)
            if let digest { $0.member("digest", digest) }
        }
    }

    // MARK: - History

    mutating func element(_ entry: JournalEntry, in collection: String, digest: String?) {
        self.object {
            $0.member("n", entry.number)
            $0.member("collection", collection)
            $0.member("pk", entry.pk)
            $0.member("path", entry.path.text)
            $0.member("kind", entry.reason.name)
            $0.member("side", entry.lostSide.rawValue)
            $0.document("value", entry.raw.value)
            if let digest { $0.member("digest", digest) }
        }
    }

    mutating func element(_ entry: SyncTrace.Entry) {
        self.object {
            $0.member("n", entry.number)
            $0.member("collection", entry.step.collection)
            switch entry.step {
            case .opened: $0.addStep(of: "store", "opened")
            case .forgotten: $0.addStep(of: "store", "forgotten")
            case .record(let trace):
                $0.addStep(of: "record", trace.event.rawValue)
                $0.member("pk", trace.pk)
                $0.member("from", trace.source.description)
                $0.member("to", trace.target.description)
            case .exchange(let trace):
                $0.addStep(of: "exchange", trace.event.rawValue)
                $0.member("from", trace.source.description)
                $0.member("to", trace.target.description)
                $0.time("time", trace.time)
                if let failure = trace.failure { $0.member("failure", failure.rawValue) }
            }
        }
    }

    /// The trouble that a remote makes, and its last requests.
    mutating func add(_ trouble: TroubleRemote) {
        self.key("trouble")
        self.object {
            $0.member("offline", trouble.isOffline)
            $0.member("hold", trouble.isHolding)
            $0.member("held", trouble.heldCount)
            $0.member("losesNext", trouble.losesNextAnswer)
        }
        self.key("requests")
        self.array {
            for request in trouble.requests.reversed() {
                $0.object {
                    $0.member("n", request.number)
                    $0.member("collection", request.collection)
                    $0.member("edits", request.edits)
                    if let rows = request.rows { $0.member("rows", rows) }
                    if let failure = request.failure { $0.member("failure", failure) }
                }
            }
        }
    }

    private mutating func addStep(of subject: String, _ event: String) {
        self.member("of", subject)
        self.member("event", event)
    }
}

extension SyncStatus {
    /// The status in a sentence.
    fileprivate var sentence: String {
        switch self.summary {
        case .inSync: "Everything is in sync."
        case .checking: "Nothing is to be sent; the server may have new records."
        case .pending:
            "\(self.unsentCount == 1 ? "1 change waits" : "\(self.unsentCount) changes wait") here: "
                + "\(self.conflictCount) to be decided, \(self.heldCount) held."
        case .syncing(let done, let all):
            all.map { "Syncing: \(done) of \($0) records." } ?? "Syncing: \(done) records."
        case .waiting(_, let why), .paused(let why): why.message
        case .offline: "There is no network."
        }
    }
}

extension Duration {
    /// Whole milliseconds, as the page has times.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = self.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}

import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The exchange of one collection: its machine, and what goes with the sync that is under way.
struct Exchange {
    typealias Machine = ExchangeMachine<CodePointString, RemoteFailure>
    private typealias Memory = ExchangeMemory<CodePointString, RemoteFailure>

    var machine = Machine()

    /// What the sync that goes on has done; nil while none does.
    var tally: SyncTally?

    /// Records that the store holds in a form that can't be read: they are left out of this sync.
    var damaged: Set<CodePointString> = []

    /// The tokens that the request named that is out, or was last.
    var asked = Tokens()

    /// How many rows are still to come; nil when the server did not say.
    var left: Int?

    /// Until when it waits, from 1970-01-01T00:00:00Z.
    var until: Duration?

    /// Until when the server wants to be left alone, from 1970-01-01T00:00:00Z; nil where it never said so to this process.
    var restsUntil: Duration?

    /// When the pull began that goes on, from 1970-01-01T00:00:00Z; nil while none does.
    var pullBegan: Duration?

    /// When the last pull began that came to its end in this sync; nil while none did.
    var lastPull: Duration?

    /// Whether this process has asked the tactic again about the conflicts that were open when it began.
    var hasAskedAgain = false

    /// Whether the app let a sync go on that was paused since the server went back (SPEC §6).
    var maySyncAfterWentBack = false

    /// What the store holds of the machine's memory.
    private var saved = Memory()

    /// The records whose upload is out, by pk, beside what the store was given of them.
    private var sent: [CodePointString: (stored: StoredRecord, record: Record)] = [:]

    /// An exchange that has not begun.
    ///
    /// - Parameter number: The number of the last request, where answers to former ones may still come.
    init(after number: Int = 0) {
        self.machine = Machine(after: number)
    }

    /// The tokens that a request names.
    struct Tokens {
        /// Where the feed is read on; nil at its start.
        var cursor: String?

        /// The newest token; nil where the cursor is it, and after a rollback.
        var seen: String?
    }

    /// A sync begins.
    mutating func begin() {
        self.tally = SyncTally()
        self.damaged = []
        self.left = nil
        self.lastPull = nil
    }
}

// MARK: - What is out

extension Exchange {
    /// Whether any upload is out whose record is known.
    var hasSent: Bool { !self.sent.isEmpty }

    /// Keeps a record in mind as long as its upload is out.
    mutating func note(_ record: Record, as stored: StoredRecord) {
        if stored.phase.activity == .uploading {
            self.sent[CodePointString(stored.pk)] = (stored, record)
        } else {
            self.forget(stored.pk)
        }
    }

    mutating func forget(_ pk: String) {
        self.sent[CodePointString(pk)] = nil
    }

    /// The record that was stored as this; nil where it has to be read: what was frozen is known when its answer comes, and need
    /// not be parsed.
    func record(storedAs stored: StoredRecord) -> Record? {
        guard self.hasSent, let sent = self.sent[CodePointString(stored.pk)], sent.stored.isSpelled(as: stored)
        else { return nil }
        return sent.record
    }
}

extension StoredRecord {
    /// Whether they are equal, and so are the bytes of their stamps and names, of which `==` takes some spellings for one.
    fileprivate func isSpelled(as other: StoredRecord) -> Bool {
        func isSame(_ one: String?, _ other: String?) -> Bool {
            one.map { CodePointString($0) } == other.map { CodePointString($0) }
        }
        return self == other && isSame(self.confirmed.stamp, other.confirmed.stamp)
            && isSame(self.seen?.stamp, other.seen?.stamp) && isSame(self.name, other.name)
    }
}

// MARK: - What outlives the process

extension Exchange {
    /// The exchange as the last process left it. What can't be read is forgotten: it is experience, and not anyone's data.
    init(_ state: CollectionState) {
        guard let text = state.trouble, let memory = try? JSON(parsing: text).decode(Memory.self) else { return }
        self.machine = Machine(memory: memory)
        self.saved = memory
    }

    /// Whether what outlives the process is another than what was saved.
    var isUnsaved: Bool { self.machine.memory != self.saved }

    /// Keeps what outlives the process.
    mutating func save(to state: inout CollectionState) {
        self.saved = self.machine.memory
        let text = (try? JSON(encoding: self.saved))?.text
        state.trouble = text == "{}" ? nil : text
    }
}

extension ExchangeLimits {
    init(_ limits: SyncLimits) {
        self.init(
            batchSize: limits.batchSize, pageSize: limits.pageSize, emptyPages: limits.emptyPages,
            knownRows: limits.knownRows, silentTries: limits.silentTries, listings: limits.listings,
            rounds: limits.rounds, loneFailures: limits.loneFailures)
    }
}

import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// The exchange of one collection: its machine, and the state of the running sync. The machine has no clock, so times are here.
struct Exchange {
    typealias Machine = ExchangeMachine<CodePointString, RemoteFailure>
    private typealias Memory = ExchangeMemory<CodePointString, RemoteFailure>

    var machine = Machine()

    /// The running sync; nil if none is running.
    var sync: RunningSync?

    /// The end of the back-off, since 1970-01-01T00:00:00Z.
    var until: Duration?

    /// Until when the server throttles requests, since 1970-01-01T00:00:00Z; nil if it did not in this process.
    var throttledUntil: Duration?

    /// The time of the last input; nil before the first one.
    private var latest: Duration?

    /// When the running pull began, since 1970-01-01T00:00:00Z; nil if none is running. A pull may take several syncs.
    var pullBegan: Duration?

    /// The records whose upload is in flight.
    var sent = SentRecords()

    /// Makes an exchange that has not begun.
    ///
    /// - Parameter number: The number of the last request, if late answers to earlier ones are possible.
    init(after number: Int = 0) {
        self.machine = Machine(after: number)
    }

    /// The state of one sync.
    struct RunningSync {
        /// The results so far.
        let tally: SyncTally

        /// The records that are damaged in the store: they are left out of this sync.
        var damaged: Set<CodePointString> = []

        /// The number of rows that are still to come; nil if the server did not report it.
        var left: Int?

        /// When the last pull that was completed in this sync began, since 1970-01-01T00:00:00Z; nil if none was.
        var lastPull: Duration?

        /// How far the idle records were passed, if some wait for others.
        var walk = ReferenceWalk()
    }
}

// MARK: - Times

extension Exchange {
    /// Notes the time of an input. If the clock was set back, the waits are moved with it, so that none becomes longer.
    mutating func note(_ now: Duration) {
        let jump = self.jump(to: now)
        self.latest = now
        guard jump > .zero else { return }
        self.until = self.until.map { $0 - jump }
        self.throttledUntil = self.throttledUntil.map { $0 - jump }
    }

    /// Whether the back-off has ended.
    func hasWaited(at now: Duration) -> Bool {
        self.until.map { now >= $0 - self.jump(to: now) } ?? false
    }

    private func jump(to now: Duration) -> Duration { max((self.latest ?? now) - now, .zero) }
}

// MARK: - Uploads in flight

/// The records whose upload is in flight, with their stored form: their answers need not parse them again.
struct SentRecords {
    /// A class, since both have many parts, each of which a copy would count.
    private final class Sent {
        let stored: StoredRecord
        let record: Record

        init(_ record: Record, as stored: StoredRecord) {
            (self.stored, self.record) = (stored, record)
        }
    }

    private var records: [CodePointString: Sent] = [:]

    /// Whether an upload of a known record is in flight.
    var isAny: Bool { !self.records.isEmpty }

    /// Keeps a record in memory while its upload is in flight.
    mutating func note(_ record: Record, as stored: StoredRecord) {
        if stored.phase.activity == .uploading {
            self.records[CodePointString(stored.pk)] = Sent(record, as: stored)
        } else {
            self.forget(stored.pk)
        }
    }

    mutating func forget(_ pk: String) {
        self.records[CodePointString(pk)] = nil
    }

    /// Returns the record with this stored form, without parsing it; nil if it has to be read.
    func record(storedAs stored: StoredRecord) -> Record? {
        guard self.isAny, let sent = self.records[CodePointString(stored.pk)], sent.stored.isSpelled(as: stored)
        else { return nil }
        return sent.record
    }
}

extension StoredRecord {
    /// Whether both are equal, including the bytes of their versions and names: `==` ignores some differences of spelling.
    fileprivate func isSpelled(as other: StoredRecord) -> Bool {
        func isSame(_ one: String?, _ other: String?) -> Bool {
            one.map { CodePointString($0) } == other.map { CodePointString($0) }
        }
        return self == other && isSame(self.confirmed.version, other.confirmed.version)
            && isSame(self.seen?.version, other.seen?.version) && isSame(self.name, other.name)
    }
}

// MARK: - State that outlives the process

extension Exchange {
    /// Makes the exchange from the state of the last process. An unreadable state is not user data, and is replaced.
    init(_ state: CollectionState) {
        guard let text = state.exchangeMemory else { return }
        self.machine = Machine(memory: (try? JSON(parsing: text).decode(Memory.self)) ?? .unreadable)
    }

    /// The state that outlives the process, as ``CollectionState/exchangeMemory``.
    var storedMemory: String? {
        let text = (try? JSON(encoding: self.machine.memory))?.text
        return text == "{}" ? nil : text
    }
}

extension ExchangeLimits {
    init(_ limits: SyncLimits) {
        self.init(
            batchSize: limits.batchSize, pageSize: limits.pageSize, emptyPages: limits.emptyPages,
            knownRows: limits.knownRows, unansweredPosts: limits.unansweredPosts, fullResyncs: limits.fullResyncs,
            oversizedAnswers: limits.oversizedAnswers, rounds: limits.rounds, poisonFailures: limits.poisonFailures)
    }
}

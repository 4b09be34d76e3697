import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// One write whose outcome a caller awaits, followed through the transitions of its record.
///
/// The changes that are pending at the start of the wait are either all in the upload, or also in unsent edits. Later edits of
/// the same record are not waited for, unless they are sent in the same upload.
struct PendingWrite {
    typealias Machine = Record.Machine

    /// The number of the wait.
    let number: Int

    /// The pending changes of the record after the last input.
    var changes: Changes

    /// Everything that differs after another client has sent, discarded, merged or edited the changes.
    struct Changes: Hashable {
        private let state: SyncState?
        private let version: String?
        private let requestID: String?
        private let edits: [UInt8]?

        /// Later changes, after these were sent or discarded, have another number.
        private let sequence: Int64

        init(_ record: Record) {
            let machine = record.machine
            (self.state, self.version) = (machine.phase.state, machine.confirmed.version)
            (self.requestID, self.edits) = (machine.upload?.requestID, machine.edits?.bytes)
            self.sequence = record.sequence
        }
    }

    private let isDelete: Bool

    /// Whether all awaited changes are in the upload.
    private var isUploaded: Bool

    /// The paths that both sides changed meanwhile.
    private var paths: Set<JSONPointer> = []

    /// Why the server refused the write.
    private var refusal: RecordHold?

    /// Begins to wait for the pending changes of a record.
    init(_ number: Int, _ record: Record) {
        let machine = record.machine
        self.number = number
        self.changes = Changes(record)
        self.isDelete = machine.phase.state == .deleted
        let isLast = !self.isDelete || machine.upload?.intent == .delete
        self.isUploaded = machine.upload != nil && machine.edits == nil && isLast
    }

    /// Whether the changes of a record are pending as they were, after another client had the store.
    func isPending(in record: Record) -> Bool {
        record.machine.phase.activity != nil && Changes(record) == self.changes
    }

    /// A transition of the record, with the paths that both sides changed.
    struct Passage {
        let step: Machine.Step
        let paths: Set<JSONPointer>
        let refusal: RecordHold?

        /// Describes a transition.
        ///
        /// - Parameters:
        ///   - before: The machine before the transition.
        ///   - after: The machine after it.
        ///   - refusal: Why the record is held, if it is.
        init(
            _ step: Machine.Step, from before: Machine, to after: Machine, _ refusal: RecordHold?,
            _ algebra: JSONChanges
        ) throws(TidemarkError) {
            self.step = step
            self.refusal = refusal
            switch step.event.kind {
            case .merged(.ours), .merged(.same): self.paths = try Self.pathsOfBoth(before, after, algebra)
            case .merged(.theirs), .merged(.nothing), .app, .resignation, .schedule, .feed, .accepted, .notAccepted,
                .question:
                self.paths = []
            }
        }

        /// Returns the paths that both sides had changed when a transition merged them.
        private static func pathsOfBoth(
            _ before: Machine, _ after: Machine, _ algebra: JSONChanges
        ) throws(TidemarkError) -> Set<JSONPointer> {
            let base = try algebra.compared(before.mergeBase)
            let (theirs, ours) = (after.confirmed.content, try before.view(algebra))
            let server = JSONPatch.diff(from: base, to: try algebra.compared(theirs)).operations.map(\.path)
            let client = JSONPatch.diff(from: base, to: try algebra.compared(ours)).operations.map(\.path)
            return Set(
                client.flatMap { mine in
                    server.compactMap { $0.isPrefix(of: mine) ? $0 : mine.isPrefix(of: $0) ? mine : nil }
                })
        }
    }

    /// Applies a transition of the record.
    ///
    /// - Returns: The outcome of the write; nil while it is unknown.
    mutating func follow(_ passage: Passage) -> WriteOutcome? {
        let step = passage.step
        self.paths.formUnion(passage.paths)
        switch step.event {
        case .edited, .editedUnconfirmed, .exhausted, .refreshed, .repeated, .rebased, .clashed, .seen, .lost,
            .idempotencyLost,
            .recreated, .escalatedToUser, .stale:
            return nil
        // A retried write may still be accepted.
        case .retried, .resumed:
            self.refusal = nil
            return nil
        case .sent:
            if step.source.activity == .idle { self.isUploaded = true }
            return nil
        case .created, .createdAgain, .createdUnconfirmed, .createdAgainUnconfirmed:
            return self.isDelete ? self.replaced : nil
        case .deleted, .deletedUnconfirmed: return self.isDelete ? nil : self.replaced
        case .reverted, .discarded, .adopted, .erased: return .superseded
        case .revived: return self.isDelete ? .superseded : nil
        case .resigned, .abandoned, .createAbandoned:
            guard step.source != step.target else { return nil }
            return self.refusal.map(WriteOutcome.rejected) ?? .superseded
        case .accepted, .acceptedThenDeleted, .converged: return self.taken
        case .acceptedEarlier, .acceptedGone: return self.isUploaded ? self.taken : nil
        // The record no longer exists anywhere, which is the purpose of a deletion.
        case .gone, .cancelledCreateRefused:
            return step.target != .absent ? nil : self.isDelete ? .accepted : .superseded
        case .conflicted, .refusedEarlier: return self.returned(step)
        case .refused:
            self.refusal = passage.refusal ?? .unknown
            return self.returned(step)
        case .refusedUnconfirmed:
            self.refusal = passage.refusal ?? .unknown
            return nil
        }
    }

    /// Applies the phase of the record after all transitions of an input.
    func rest(in phase: RecordPhase, hold: RecordHold?) -> WriteOutcome? {
        switch phase.activity {
        case .held: .held(hold ?? .unknown)
        case .deciding: .asking
        case .idle, .uploading, .unconfirmed, nil: nil
        }
    }

    private var taken: WriteOutcome {
        self.paths.isEmpty || self.isDelete ? .accepted : .merged(self.paths.sorted())
    }

    /// The app replaced the write; the part in the upload may still be accepted.
    private var replaced: WriteOutcome? { self.isUploaded ? nil : .superseded }

    /// The upload became a local change again, unless the record was deleted or created again meanwhile.
    private mutating func returned(_ step: Machine.Step) -> WriteOutcome? {
        self.isUploaded = false
        return (step.target.state == .deleted) == self.isDelete ? nil : .superseded
    }
}

import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// One write that someone waits for, followed through the transitions of its record.
///
/// What is pending when the waiting begins is either all in the upload, or (also) in what is not sent yet; later edits of the
/// same record go over it and are not waited for, unless they go out in the same upload.
struct PendingWrite {
    typealias Machine = Record.Machine

    /// Names the wait.
    let number: Int

    /// Whether what was written is a deletion.
    private let isDelete: Bool

    /// Whether all that is waited for is in the upload.
    private var isUploaded: Bool

    /// Where both sides changed something meanwhile.
    private var paths: Set<JSONPointer> = []

    /// What the server said when it refused the write.
    private var refusal: String?

    /// Begins to wait for what is pending of a record.
    init(_ number: Int, _ machine: Machine) {
        self.number = number
        self.isDelete = machine.phase.state == .deleted
        let isLast = !self.isDelete || machine.upload?.intent == .delete
        self.isUploaded = machine.upload != nil && machine.edits == nil && isLast
    }

    /// A transition of the record, with what it shows of the two sides.
    struct Passage {
        let step: Machine.Step
        let paths: Set<JSONPointer>
        let refusal: String?

        /// Describes a transition.
        ///
        /// - Parameters:
        ///   - before: The machine before the transition.
        ///   - after: The machine after it.
        ///   - refusal: Why the record is held, if it is.
        init(
            _ step: Machine.Step, from before: Machine, to after: Machine, _ refusal: String?, _ algebra: JSONChanges
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

        /// Where both sides had changed something, when a transition put one over the other.
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

    /// Takes in a transition of the record.
    ///
    /// - Returns: What became of the write; nil while that is open.
    mutating func follow(_ passage: Passage) -> WriteOutcome? {
        let step = passage.step
        self.paths.formUnion(passage.paths)
        switch step.event {
        case .edited, .editedInDoubt, .exhausted, .refreshed, .repeated, .rebased, .clashed, .seen, .lost, .forgotten,
            .recreated, .undecided, .stale:
            return nil
        // Whoever tries again may yet be taken.
        case .released, .resumed:
            self.refusal = nil
            return nil
        case .sent:
            if step.source.activity == .idle { self.isUploaded = true }
            return nil
        case .created, .createdAgain, .createdInDoubt, .createdAgainInDoubt: return self.isDelete ? self.replaced : nil
        case .deleted, .deletedInDoubt: return self.isDelete ? nil : self.replaced
        case .reverted, .discarded, .adopted, .erased: return .superseded
        case .revived: return self.isDelete ? .superseded : nil
        case .resigned, .abandoned, .withdrawn:
            guard step.source != step.target else { return nil }
            return self.refusal.map(WriteOutcome.rejected) ?? .superseded
        case .accepted, .acceptedThenDeleted, .converged: return self.taken
        case .acceptedEarlier, .acceptedGone: return self.isUploaded ? self.taken : nil
        // No one has the record any more, which is what a deletion wants.
        case .gone, .dissolved: return step.target != .absent ? nil : self.isDelete ? .accepted : .superseded
        case .conflicted, .refusedEarlier: return self.returned(step)
        case .refused:
            self.refusal = passage.refusal ?? "held"
            return self.returned(step)
        case .refusedInDoubt:
            self.refusal = passage.refusal ?? "held"
            return nil
        }
    }

    /// Takes in where the record stands once everything that followed from an input is done.
    func rest(in phase: RecordPhase, hold: RecordHold?) -> WriteOutcome? {
        switch phase.activity {
        case .held: .held(hold?.reason ?? "held")
        case .deciding: .asking
        case .idle, .uploading, .unconfirmed, nil: nil
        }
    }

    private var taken: WriteOutcome {
        self.paths.isEmpty || self.isDelete ? .accepted : .merged(self.paths.sorted())
    }

    /// The app wrote something else in its place; what is in the upload may still be taken.
    private var replaced: WriteOutcome? { self.isUploaded ? nil : .superseded }

    /// The upload went back into the local change, unless the record was deleted or made again meanwhile.
    private mutating func returned(_ step: Machine.Step) -> WriteOutcome? {
        self.isUploaded = false
        return (step.target.state == .deleted) == self.isDelete ? nil : .superseded
    }
}

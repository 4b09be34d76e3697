import TidemarkMachine

// The properties that one step of the machine can break (Contract §7).

extension World {
    /// The violation of a step; nil without a violation.
    func mistake(in step: Machine.Step, on input: Machine.Input, before: Machine) -> String? {
        do {
            let watch = try StepWatch(input, step, before: before, after: self.machine, self.algebra)
            return watch.mistake.map { "\($0): \(step.event) in \(step.source), from \(input), left \(self.machine)" }
        } catch {
            return "\(error.change) was applied without a record, after \(input) in \(before.phase)"
        }
    }
}

/// One step of the machine, seen from outside.
struct StepWatch {
    private typealias Machine = World.Machine

    private let input: World.Machine.Input
    private let step: World.Machine.Step
    private let before: World.Machine
    private let after: World.Machine
    private let viewBefore: TinyContent?
    private let viewAfter: TinyContent?
    /// The server's content if it accepted the unconfirmed upload; nil without one, or for a delete.
    private let sent: TinyContent?
    /// The fields that an edit replaces; a counter is added up instead.
    private let fields: [TinyContent.Field]

    init(
        _ input: World.Machine.Input, _ step: World.Machine.Step, before: World.Machine, after: World.Machine,
        _ algebra: TinyAlgebra
    ) throws(TinyAlgebra.Failure) {
        self.input = input
        self.step = step
        self.before = before
        self.after = after
        self.viewBefore = try before.view(algebra)
        self.viewAfter = try after.view(algebra)
        self.fields = algebra.isCounting ? [.a] : TinyContent.Field.allCases
        self.sent = try before.upload?.change.map { (change) throws(TinyAlgebra.Failure) in
            try algebra.apply(change, to: before.confirmed.content)
        }
    }

    /// The first violated property; nil without a violation.
    var mistake: String? {
        if let mistake = self.wrongView { return mistake }
        if self.isDataInvented { return "I4: the confirmed data was never on the server" }
        if self.isUploadChanged { return "I5: the upload changed before it was settled" }
        if self.viewBefore != self.viewAfter, !self.step.actions.contains(.notify) { return "the app was not told" }
        return nil
    }

    /// I1, I2: the view after an input.
    private var wrongView: String? {
        switch self.input {
        case .create(let content), .edit(let content):
            self.viewAfter == content ? nil : "I2: the app does not see its write"
        case .delete: self.viewAfter == nil ? nil : "I2: the app sees a deleted record"
        case .retry, .hold, .send, .lost, .historyLost, .verdict(.ask, _): self.isSameView
        case .resign, .giveUp, .verdict(.server, _): self.isJournalled
        case .verdict(.client, _), .verdict(.content, _):
            self.step.event == .stale ? self.isSameView : self.wrongViewAfterVerdict
        case .feedRow, .conflictRow, .answered: self.lostLocalChange ?? self.lostWriteOfOthers
        }
    }

    private var isSameView: String? {
        self.viewBefore == self.viewAfter ? nil : "I2: the view changed by itself"
    }

    private var isJournalled: String? {
        let hasLost = self.before.phase.state != .deleted && self.viewBefore != self.viewAfter
        let isUndone = self.before.phase.state == .deleted && self.viewAfter != nil
        guard hasLost || isUndone, !self.step.actions.contains(.journal) else { return nil }
        return "I2: the discarded change is not in the journal"
    }

    private var wrongViewAfterVerdict: String? {
        let decided: TinyContent? =
            switch self.input {
            case .verdict(.client, let facts): facts.client
            case .verdict(.content(let content), _): content
            case .create, .edit, .delete, .retry, .resign, .giveUp, .send, .hold, .feedRow, .conflictRow, .answered,
                .lost,
                .historyLost, .verdict:
                nil
            }
        return self.viewAfter == decided ? nil : "I2: the view differs from the decision"
    }

    /// I2: the view still has every local change that is not acknowledged, and a delete is still a delete.
    private var lostLocalChange: String? {
        if self.before.phase.state == .deleted {
            return self.viewAfter == nil ? nil : "I2: a delete was forgotten"
        }
        guard let seen = self.viewBefore else { return nil }
        let isLost = self.fields.contains { field in
            let isChanged = self.bases.contains { $0?[field] ?? 0 != seen[field] }
            return isChanged && (self.viewAfter?[field] ?? 0) != seen[field]
        }
        // An accepted upload is on the server, and another device may delete it there.
        let wasTaken = self.step.event.kind == .accepted
        let isPending = wasTaken ? self.before.edits != nil : self.before.phase.state != .synced
        let isDropped = isPending && self.viewAfter == nil
        return isLost || isDropped ? "I2: a local change disappeared" : nil
    }

    /// The bases of the local change: the confirmed record, and the upload. An accepted upload is no local change any more.
    private var bases: [TinyContent?] {
        if self.step.event.kind == .accepted { return [self.sent] }
        return [self.before.mergeBase] + (self.sent.map { [$0] } ?? [])
    }

    /// I1: a change that was made without knowledge of another device's write does not overwrite it.
    private var lostWriteOfOthers: String? {
        let isRowNew = self.after.confirmed != self.before.confirmed || self.before.base != nil
        // While the record has a base, the row is stored as seen and waits, and nothing is sent over it.
        guard let row = self.after.confirmed.content, isRowNew, self.after.base == nil, self.after.phase != .absent
        else {
            return nil
        }
        let base = self.before.mergeBase
        let isLost = self.fields.contains { field in
            let value = row[field]
            let isOthers = value != base?[field] ?? 0 && self.sent?[field] != value
            return isOthers && self.viewAfter?[field] ?? 0 != value
        }
        return isLost ? "I1: another device's write is overwritten unseen" : nil
    }

    private var isDataInvented: Bool {
        guard self.after.phase != .absent, self.after.confirmed != self.before.confirmed else { return false }
        switch self.input {
        case .feedRow(let state), .conflictRow(let state), .answered(.accepted(let state, _)),
            .answered(.conflicted(let state)):
            // An accepted delete leaves no record; a row in its result is processed as a row of the feed.
            let isDelete = self.step.event == .acceptedGone && self.after.confirmed == .nothing
            return self.after.confirmed != state && !isDelete
        case .verdict, .resign, .giveUp: return self.after.confirmed != self.before.seen
        case .create, .edit, .delete, .retry, .send, .hold, .answered, .lost, .historyLost: return true
        }
    }

    private var isUploadChanged: Bool {
        guard var upload = self.before.upload, let later = self.after.upload else { return false }
        upload.wasResent = later.wasResent
        upload.recognition = later.recognition
        return upload != later
    }
}

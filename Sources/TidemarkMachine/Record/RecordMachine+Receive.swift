extension RecordMachine {
    /// Takes in what happened, and says what to do about it.
    ///
    /// Carry out the actions, then receive `next`, until there is none: all in one store transaction.
    ///
    /// - Precondition: The input can occur in this phase (R24). Whoever passes on what an app wants checks that first
    ///   (``canReceive(_:)``); what comes from a server can always occur.
    @inlinable public mutating func receive(_ input: Input, _ algebra: Algebra) throws(Algebra.Failure) -> Step {
        let phase = self.phase
        switch try self.attempt(input, algebra) {
        case .step(let step): return step
        case .impossible(let event): preconditionFailure("\(event) can't occur in \(phase): \(input)")
        }
    }

    /// What became of an input.
    @usableFromInline package enum Attempt: Hashable, Sendable {
        /// It was taken in.
        case step(Step)

        /// It amounts to an event that can't occur; the machine is as it was.
        case impossible(RecordEvent)
    }

    /// Takes in an input as ``receive(_:_:)`` does, and says so where it can't occur instead of trapping.
    ///
    /// For exploration, which has to go on after a mistake to tell how it came about.
    @inlinable package mutating func attempt(_ input: Input, _ algebra: Algebra) throws(Algebra.Failure) -> Attempt {
        var changed = self
        let event = try changed.classify(input, algebra)
        switch self.phase.transition(on: event) {
        case .move(let target, let actions):
            changed.phase = target
            let step = Step(
                event: event, source: self.phase, target: target, actions: actions,
                next: try changed.whatIsNext(after: event, algebra))
            if target == .absent { changed.settle(as: .nothing) }
            self = changed
            return .step(step)
        case .stay:
            // A row that is known already may still be the one that an empty change waits for.
            let next = try changed.whatIsNext(after: event, algebra)
            return .step(Step(event: event, source: self.phase, target: self.phase, actions: [], next: next))
        case .impossible:
            return .impossible(event)
        }
    }

    /// Whether an input of the app makes sense in this phase. What a server says always does.
    @inlinable public func canReceive(_ input: Input) -> Bool {
        switch input {
        case .create:
            switch self.phase {
            case .absent, .deleted: true
            case .synced, .edited, .created: false
            }
        case .edit, .delete: self.isVisible
        case .release: self.phase.activity == .held
        case .resign: self.phase.activity != nil
        case .giveUp: self.phase.activity == .held
        case .send: self.phase.activity == .idle || self.phase.activity == .unconfirmed
        case .hold: [.idle, .unconfirmed, .deciding].contains(self.phase.activity)
        case .answered, .lost: self.phase.activity == .uploading
        case .historyLost: [.unconfirmed, .held].contains(self.phase.activity) && self.upload != nil
        case .verdict: self.phase.activity == .deciding
        case .listed, .met: true
        }
    }

    /// What would be sent if the record's turn came now; nil when nothing would, or when it has used up its tries.
    ///
    /// Whoever asks how large it is, shows it, or sends it asks this. What is unconfirmed keeps its own name and bytes (R17).
    ///
    /// - Parameters:
    ///   - requestID: The name of a new upload.
    ///   - roundLimit: How often a change may come back with a clash (SPEC §3.3).
    @inlinable public func nextUpload(_ requestID: String, _ roundLimit: Int, _ recognition: Recognition) -> Upload? {
        switch self.phase.activity {
        case .unconfirmed:
            var upload = self.upload
            upload?.wasResent = true
            return upload
        case .idle:
            guard self.rounds < roundLimit else { return nil }
            let intent: Upload.Intent =
                switch self.phase {
                case .created: .create
                case .deleted: .delete
                case .absent, .synced, .edited: .edit
                }
            return Upload(
                requestID: requestID, intent: intent, stamp: self.confirmed.stamp, change: self.edits,
                wasResent: false, recognition: recognition)
        case .uploading, .deciding, .held, nil: return nil
        }
    }

    /// What has to follow where nothing else does: a change that came back too often is held (SPEC §3.3).
    @inlinable public func overdue(roundLimit: Int) -> Input? {
        self.phase.activity == .idle && self.rounds >= roundLimit ? .hold : nil
    }

    /// The question that is open; nil when none is. Every record that is deciding has one, so that it can be decided.
    @inlinable public func conflict(_ algebra: Algebra) throws(Algebra.Failure) -> Conflict? {
        guard self.phase.activity == .deciding, let seen = self.seen else { return nil }
        return Conflict(
            kind: self.kind(of: seen), base: self.mergeBase, server: seen, client: try self.view(algebra))
    }

    /// What settles an open question without anyone's verdict, since the facts or the rules have changed; nil when nothing
    /// does.
    @inlinable public func settling(_ algebra: Algebra) throws(Algebra.Failure) -> Input? {
        guard self.phase.activity == .deciding, let seen = self.seen else { return nil }
        switch (self.phase, seen) {
        case (.deleted, .nothing), (.deleted, .tombstone): return .listed(seen)
        case (.edited, .nothing), (.edited, .tombstone):
            // Over a tombstone the edits are a whole record, also where nothing of it was changed here.
            guard let client = try self.view(algebra), try algebra.change(from: self.mergeBase, to: client) == nil
            else {
                return nil
            }
            let facts = Conflict(kind: .editDelete, base: self.mergeBase, server: seen, client: client)
            return .verdict(.server, about: facts)
        case (.edited, .row), (.created, .row):
            var probe = self
            return try probe.classify(.listed(seen), algebra) == .clashed ? nil : .listed(seen)
        case (.deleted, .row), (.created, .nothing), (.created, .tombstone), (.absent, _), (.synced, _): return nil
        }
    }

    @inlinable func kind(of seen: ServerState) -> ConflictKind {
        switch (self.phase, seen) {
        case (.deleted, _): .deleteEdit
        case (.created, _): .createCreate
        case (.edited, .row): .editEdit
        case (.edited, .nothing), (.edited, .tombstone): .editDelete
        case (.absent, _), (.synced, _): preconditionFailure("a conflict in \(self.phase)")
        }
    }

    /// A row that had to wait gets its turn as soon as nothing is under way, and an edit that came to nothing ends.
    @inlinable mutating func whatIsNext(after event: RecordEvent, _ algebra: Algebra) throws(Algebra.Failure) -> Input?
    {
        switch self.phase {
        case .absent, .synced, .edited(.idle), .created(.idle), .deleted(.idle):
            if let seen = self.seen {
                self.seen = nil
                return event == .conflicted ? .met(seen) : .listed(seen)
            }
            // The row that called it conflicted follows, and says what becomes of an empty change.
            guard self.phase == .edited(.idle), self.edits == nil, event != .conflicted else { return nil }
            return try self.view(algebra).map(Input.edit)
        case .edited, .created, .deleted: return nil
        }
    }
}

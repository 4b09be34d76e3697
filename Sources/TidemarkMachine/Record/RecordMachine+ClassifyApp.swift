// What the inputs of the app, of the schedule and of the tactic amount to.

extension RecordMachine {
    /// Names the event that an input amounts to, and fills in the data that goes with it.
    @inlinable mutating func classify(_ input: Input, _ algebra: Algebra) throws(Algebra.Failure) -> RecordEvent {
        switch input {
        case .create(let content): try self.classifyCreate(content, algebra)
        case .edit(let content): try self.classifyEdit(content, algebra)
        case .delete: self.classifyDelete()
        case .release: self.classifyRelease()
        case .resign: self.classifyResign()
        // What was given up before went out again only to learn whether the server has it.
        case .giveUp: self.isGivenUp ? .exhausted : self.classifyResign()
        case .send(let requestID, let roundLimit, let recognition):
            self.classifySend(requestID, roundLimit, recognition)
        case .hold: .exhausted
        case .listed(let state): try self.classifyListed(state, algebra)
        case .met(let state): try self.classifyMet(state, algebra)
        case .answered(let answer): try self.classifyAnswer(answer, algebra)
        case .lost: .lost
        case .historyLost: self.classifyHistoryLost()
        case .verdict(let verdict, let facts): try self.classifyVerdict(verdict, facts, algebra)
        }
    }

    /// Whether the record is held with an upload of unknown fate. Its own bytes go out again before anything else does,
    /// under their own name: only the server's answer to them says whether they were taken (R17).
    @inlinable var isHeldInDoubt: Bool { self.phase.activity == .held && self.upload != nil }

    /// Whether a create is held that was given up while the server may have it (R21).
    @inlinable var isGivenUp: Bool {
        self.phase.state == .deleted && self.isHeldInDoubt && self.confirmed.content == nil
    }

    @inlinable mutating func classifyCreate(_ content: Content, _ algebra: Algebra) throws(Algebra.Failure)
        -> RecordEvent
    {
        self.rounds = 0
        self.edits = try algebra.replacement(of: try self.contentOfUpload(algebra), by: content)
        if self.phase == .absent { return .created }
        let isKnown = self.confirmed.content != nil
        // Deleted on both sides: what is made now grew from nothing.
        if !isKnown { self.base = nil }
        if self.isHeldInDoubt { return isKnown ? .createdInDoubt : .createdAgainInDoubt }
        guard isKnown else { return .createdAgain }
        return self.edits == nil && self.upload == nil && self.seen == nil ? .reverted : .created
    }

    @inlinable mutating func classifyEdit(_ content: Content, _ algebra: Algebra) throws(Algebra.Failure) -> RecordEvent
    {
        self.rounds = 0
        self.edits = try algebra.change(from: try self.contentOfUpload(algebra), to: content)
        if self.isHeldInDoubt { return .editedInDoubt }
        return self.edits == nil && self.upload == nil && self.seen == nil ? .reverted : .edited
    }

    @inlinable mutating func classifyDelete() -> RecordEvent {
        self.edits = nil
        self.rounds = 0
        if self.isHeldInDoubt { return .deletedInDoubt }
        guard case .created(let activity) = self.phase else { return .deleted }
        switch activity {
        case .uploading, .unconfirmed, .deciding: return .deleted
        case .idle, .held: return .discarded
        }
    }

    @inlinable mutating func classifyRelease() -> RecordEvent {
        self.rounds = 0
        return self.upload == nil ? .released : .resumed
    }

    @inlinable mutating func classifyResign() -> RecordEvent {
        if self.phase.activity == .deciding, let seen = self.seen { return self.takeServer(seen) }
        if self.confirmed.content != nil {
            let seen = self.seen
            self.settle(as: self.confirmed)
            self.seen = seen
            return .resigned
        }
        self.edits = nil
        return self.upload == nil ? .abandoned : .withdrawn
    }

    /// What was sent may be on the server, and its answer may be forgotten. A row that was seen is of a history that is
    /// over; the listing shows what there is.
    @inlinable mutating func classifyHistoryLost() -> RecordEvent {
        self.upload?.recognition = .byContent
        self.seen = nil
        return .forgotten
    }

    @inlinable mutating func classifySend(
        _ requestID: String, _ roundLimit: Int, _ recognition: Recognition
    ) -> RecordEvent {
        guard let upload = self.nextUpload(requestID, roundLimit, recognition) else { return .exhausted }
        self.upload = upload
        self.edits = self.phase.activity == .idle ? nil : self.edits
        return .sent
    }
}

// MARK: - Verdicts

extension RecordMachine {
    @inlinable mutating func classifyVerdict(
        _ verdict: Verdict, _ facts: Conflict, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        guard let seen = self.seen, facts.server == seen, facts.base == self.mergeBase,
            facts.client == (try self.view(algebra))
        else { return .stale }
        switch verdict {
        case .ask: return .undecided
        case .server: return self.takeServer(seen)
        case .client:
            guard let content = facts.client else {
                self.settle(as: seen, keepingRounds: true)
                return .rebased
            }
            return try self.take(content, over: seen, algebra)
        case .content(let content): return try self.take(content, over: seen, algebra)
        }
    }

    /// Nothing of the local change is left; what the server has stands.
    @inlinable mutating func takeServer(_ seen: ServerState) -> RecordEvent {
        self.settle(as: seen)
        return seen.content == nil ? .erased : .adopted
    }

    @inlinable mutating func take(
        _ content: Content, over seen: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        let wasDeleted = self.phase.state == .deleted
        self.settle(as: seen, keepingRounds: true)
        self.edits = try algebra.change(from: seen.content, to: content)
        guard seen.content != nil else { return .recreated }
        // What was changed here may have lost to the server's version, and is journalled then.
        guard self.edits != nil else { return .adopted }
        return wasDeleted ? .revived : .rebased
    }

    /// Takes a state of the server as the base, with nothing changed here.
    ///
    /// The rounds go on counting until the server takes something, or the app acts (SPEC §3.3, I8).
    @inlinable mutating func settle(as state: ServerState, keepingRounds: Bool = false) {
        self.confirmed = state
        self.upload = nil
        self.edits = nil
        self.seen = nil
        self.base = nil
        if !keepingRounds { self.rounds = 0 }
    }
}

// What the inputs of the app, of the schedule and of the tactic amount to.

extension RecordMachine {
    /// Names the event that an input amounts to, and fills in the data that goes with it.
    mutating func classify(_ input: Input, _ algebra: Algebra) throws(Algebra.Failure) -> RecordEvent {
        switch input {
        case .create(let content): try self.classifyCreate(content, algebra)
        case .edit(let content): try self.classifyEdit(content, algebra)
        case .delete: self.classifyDelete()
        case .release: self.classifyRelease()
        case .resign: self.classifyResign()
        case .send(let requestID, let roundLimit): self.classifySend(requestID, roundLimit)
        case .hold: .exhausted
        case .listed(let state): try self.classifyListed(state, algebra)
        case .answered(let answer): try self.classifyAnswer(answer, algebra)
        case .lost: .lost
        case .verdict(let verdict, let facts): try self.classifyVerdict(verdict, facts, algebra)
        }
    }

    private mutating func classifyCreate(_ content: Content, _ algebra: Algebra) throws(Algebra.Failure) -> RecordEvent
    {
        self.rounds = 0
        if let event = try self.classifyInDoubt(content, algebra) { return event }
        self.foldHeldUpload()
        let base = try self.contentOfUpload(algebra)
        self.edits = try algebra.replacement(of: base, by: content)
        switch self.phase {
        case .absent: return .created
        case .synced, .edited, .created, .deleted:
            guard self.confirmed.content != nil else { return .createdAgain }
            let isSettled = self.upload == nil && self.seen == nil
            return self.edits == nil && isSettled ? .reverted : .created
        }
    }

    private mutating func classifyEdit(_ content: Content, _ algebra: Algebra) throws(Algebra.Failure) -> RecordEvent {
        self.rounds = 0
        if let event = try self.classifyInDoubt(content, algebra) { return event }
        self.foldHeldUpload()
        self.edits = try algebra.change(from: try self.contentOfUpload(algebra), to: content)
        return self.edits == nil && self.upload == nil && self.seen == nil ? .reverted : .edited
    }

    /// A change that can't go out before the fate of an earlier upload is known: that one is sent again with its own
    /// bytes, and the change follows it (R3, R5, R17).
    ///
    /// One is a change back to what the server confirmed, since the server may have the upload by now. The other is a
    /// change of a create that was sent twice with different contents: a third one would forget the first (I11).
    private mutating func classifyInDoubt(
        _ content: Content, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent? {
        guard [.idle, .held].contains(self.phase.activity), self.upload != nil || self.doubt != nil else { return nil }
        let event: RecordEvent
        if self.confirmed.content != nil {
            guard self.seen == nil, try algebra.change(from: self.confirmed.content, to: content) == nil else {
                return nil
            }
            event = .revertedInDoubt
        } else {
            guard self.upload != nil, self.doubt != nil else { return nil }
            event = .editedInDoubt
        }
        if self.upload == nil {
            self.upload = self.doubt
            self.doubt = nil
        }
        self.edits = try algebra.change(from: try self.contentOfUpload(algebra), to: content)
        return event
    }

    /// An edit of a held record goes out as a new request. The old one is remembered, in case it did arrive (R18).
    private mutating func foldHeldUpload() {
        guard self.phase.activity == .held, let upload = self.upload else { return }
        self.doubt = upload
        self.upload = nil
    }

    private mutating func classifyDelete() -> RecordEvent {
        self.edits = nil
        self.rounds = 0
        guard case .created(let activity) = self.phase else {
            self.foldHeldUpload()
            return .deleted
        }
        switch activity {
        case .uploading, .unconfirmed, .deciding: return .deleted
        case .idle, .held:
            guard self.upload != nil || self.doubt != nil else { return .discarded }
            if self.upload == nil {
                self.upload = self.doubt
                self.doubt = nil
            }
            return .deletedInDoubt
        }
    }

    private mutating func classifyRelease() -> RecordEvent {
        self.rounds = 0
        return self.upload == nil ? .released : .resumed
    }

    private mutating func classifyResign() -> RecordEvent {
        if self.phase.activity == .deciding, let seen = self.seen { return self.takeServer(seen) }
        if self.confirmed.content != nil {
            let seen = self.seen
            self.settle(as: self.confirmed)
            self.seen = seen
            return .resigned
        }
        if self.upload == nil {
            self.upload = self.doubt
            self.doubt = nil
        }
        self.edits = nil
        return self.upload == nil ? .abandoned : .withdrawn
    }

    private mutating func classifySend(_ requestID: String, _ roundLimit: Int) -> RecordEvent {
        guard self.phase.activity == .idle else {
            self.upload?.wasResent = true
            return .sent
        }
        guard self.rounds < roundLimit else { return .exhausted }
        let intent: Upload.Intent =
            switch self.phase {
            case .created: .create
            case .deleted: .delete
            case .absent, .synced, .edited: .edit
            }
        self.upload = Upload(
            requestID: requestID, intent: intent, stamp: self.confirmed.stamp, change: self.edits, wasResent: false)
        self.edits = nil
        return .sent
    }
}

// MARK: - Verdicts

extension RecordMachine {
    private mutating func classifyVerdict(
        _ verdict: Verdict, _ facts: Conflict, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        guard let seen = self.seen, facts.server == seen, facts.base == self.confirmed.content,
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
    private mutating func takeServer(_ seen: ServerState) -> RecordEvent {
        self.settle(as: seen)
        return seen.content == nil ? .erased : .adopted
    }

    private mutating func take(
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
    mutating func settle(as state: ServerState, keepingRounds: Bool = false) {
        self.confirmed = state
        self.upload = nil
        self.edits = nil
        self.seen = nil
        self.doubt = nil
        if !keepingRounds { self.rounds = 0 }
    }
}

// What the inputs of the server amount to.

extension RecordMachine {
    /// A row of the feed, or the row that came with a conflicted answer.
    @inlinable mutating func classifyListed(_ state: ServerState, _ algebra: Algebra) throws(Algebra.Failure)
        -> RecordEvent
    {
        if state == self.confirmed, self.phase != .absent, self.seen == nil { return .repeated }
        if self.upload != nil { return try self.classifyListedWhileUnsettled(state, algebra) }
        switch self.phase {
        case .absent, .synced:
            guard state.content != nil else { return .gone }
            self.settle(as: state)
            return .refreshed
        case .edited: return try self.classifyListedOverEdit(state, algebra)
        case .created: return try self.classifyListedOverCreate(state, algebra)
        case .deleted: return try self.classifyListedOverDelete(state, algebra)
        }
    }

    /// The row that a conflicted answer brought. What clashes with it has made a round; what does not goes on over it, and
    /// contention alone never holds a record (SPEC §3.3).
    @inlinable mutating func classifyMet(_ state: ServerState, _ algebra: Algebra) throws(Algebra.Failure)
        -> RecordEvent
    {
        let event = try self.classifyListed(state, algebra)
        // A create that meets a tombstone is sent again with its version, and that is no conflict (SPEC §5).
        let isClash = event == .clashed || (event == .gone && self.phase.state == .edited)
        if isClash { self.rounds += 1 }
        return event
    }

    /// R18b: a row is kept aside, since only the server's answer can say which came first; where the server may not repeat
    /// its answer, the row itself has to.
    @inlinable mutating func classifyListedWhileUnsettled(
        _ state: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        guard let upload = self.upload else { return .repeated }
        let isRecognised = upload.recognition == .byContent && self.phase.activity != .uploading
        if isRecognised, try self.isSettled(by: upload, state, algebra) {
            self.seen = nil
            return try self.accept(upload, state, algebra)
        }
        switch (self.phase, state, upload.intent) {
        case (.deleted, .tombstone, _), (.deleted, .nothing, .delete):
            self.seen = nil
            return .gone
        // A create that is still on its way could land after this: nothing was learnt.
        case (_, .nothing, .create): return .repeated
        case (_, .nothing, _), (_, .tombstone, _), (_, .row, _):
            self.seen = state
            return .seen
        }
    }

    @inlinable mutating func classifyListedOverEdit(
        _ state: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        guard let server = state.content, let client = try self.contentOfEdits(algebra) else {
            self.seen = state
            return .gone
        }
        let merged = try algebra.merge(base: self.confirmed.content, server: server, client: client)
        guard !merged.clashes else {
            self.seen = state
            return .clashed
        }
        return try self.rebase(merged.content, over: state, algebra) ? .rebased : .converged
    }

    /// R16: two creates are a conflict, unless they are equal.
    @inlinable mutating func classifyListedOverCreate(
        _ state: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        guard let server = state.content, let client = try self.contentOfEdits(algebra) else {
            self.confirmed = state
            self.seen = nil
            return .gone
        }
        guard try algebra.change(from: server, to: client) != nil else {
            self.settle(as: state)
            return .converged
        }
        self.seen = state
        return .clashed
    }

    @inlinable mutating func classifyListedOverDelete(
        _ state: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        guard state.content != nil else {
            self.seen = nil
            return .gone
        }
        if state == self.confirmed {
            // What was seen was older than it looked: the server has what this delete is about.
            self.settle(as: state, keepingRounds: true)
            return .rebased
        }
        self.seen = state
        return .clashed
    }

    /// - Returns: Whether something is left to send.
    @inlinable mutating func rebase(
        _ content: Content, over state: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> Bool {
        self.settle(as: state, keepingRounds: true)
        self.edits = try algebra.change(from: state.content, to: content)
        return self.edits != nil
    }

    /// Whether a row of the server is our own write (R18). Where others have written beside it, it may be a conflict like any
    /// other.
    @inlinable func isSettled(
        by upload: Upload, _ state: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> Bool {
        guard try self.isOwn(upload, state, algebra) else { return false }
        return try !self.wouldOverwrite(state, algebra)
    }

    /// Whether a row that has what was sent also has what is someone else's, and the later changes here would overwrite that
    /// unseen (I1).
    @inlinable func wouldOverwrite(_ state: ServerState, _ algebra: Algebra) throws(Algebra.Failure) -> Bool {
        guard let server = state.content, let sent = try self.contentOfUpload(algebra) else { return false }
        switch self.phase {
        case .deleted: return try algebra.change(from: sent, to: server) != nil
        case .absent, .synced, .edited, .created:
            guard self.edits != nil, let client = try self.contentOfEdits(algebra) else { return false }
            return try algebra.merge(base: sent, server: server, client: client).clashes
        }
    }

    @inlinable func isOwn(_ upload: Upload, _ state: ServerState, _ algebra: Algebra) throws(Algebra.Failure) -> Bool {
        switch (upload.change, state) {
        case (nil, .nothing), (nil, .tombstone): true
        case (.some(let change), .row(_, let content)): try algebra.shows(change, in: content)
        case (nil, .row), (.some, .nothing), (.some, .tombstone): false
        }
    }
}

// MARK: - Answers to a POST

extension RecordMachine {
    @inlinable mutating func classifyAnswer(_ answer: Answer, _ algebra: Algebra) throws(Algebra.Failure) -> RecordEvent
    {
        guard let upload = self.upload else { preconditionFailure("\(answer) without an upload, in \(self.phase)") }
        switch answer {
        case .accepted(let state):
            // A server that says "accepted" and shows the opposite has not taken it: its row is what counts.
            guard (upload.change == nil) == (state.content == nil) else {
                return try self.classifyConflict(upload, state, algebra)
            }
            // A server that keeps no large result answers again with the present row (W4).
            if upload.wasResent, try self.wouldOverwrite(state, algebra) {
                return try self.classifyConflict(upload, state, algebra)
            }
            return try self.accept(upload, state, algebra)
        case .conflicted(let state):
            let isRecognised = upload.recognition == .byContent && upload.wasResent
            if isRecognised, try self.isSettled(by: upload, state, algebra) {
                return try self.accept(upload, state, algebra)
            }
            return try self.classifyConflict(upload, state, algebra)
        case .refused: return try self.classifyRefusal(upload, algebra)
        case .refusedUnread: return upload.wasResent ? .refusedInDoubt : try self.classifyRefusal(upload, algebra)
        case .refusedAsMissing:
            guard case .deleted = self.phase, upload.intent == .delete else {
                return try self.classifyRefusal(upload, algebra)
            }
            return .gone
        }
    }

    /// R4, R5, R7, R23: only the upload is cleared.
    @inlinable mutating func accept(
        _ upload: Upload, _ state: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        let seen = self.seen == state ? nil : self.seen
        // What nobody has edited since needs no merge.
        let wasEdited = self.edits != nil
        let sent = wasEdited ? try self.contentOfUpload(algebra) : nil
        let client = wasEdited ? try self.contentOfEdits(algebra) : nil
        self.settle(as: state)
        self.seen = seen
        switch self.phase {
        case .deleted: return upload.intent == .delete ? .accepted : .acceptedEarlier
        case .absent, .synced, .edited, .created:
            guard let client else { return .accepted }
            guard let server = state.content else {
                self.edits = try algebra.change(from: nil, to: client)
                return .acceptedGone
            }
            let merged = try algebra.merge(base: sent, server: server, client: client)
            self.edits = try algebra.change(from: server, to: merged.content)
            return self.edits == nil ? .accepted : .acceptedEarlier
        }
    }

    /// Nothing was changed there: the upload goes back into the local change, and the row follows.
    @inlinable mutating func classifyConflict(
        _ upload: Upload, _ state: ServerState, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        try self.foldUpload(algebra)
        // The answer to a resend may be as old as the first request (W4), and then what was seen since is newer.
        if self.seen == nil || !upload.wasResent { self.seen = state }
        return self.isDissolved(upload) ? .dissolved : .conflicted
    }

    @inlinable mutating func classifyRefusal(
        _ upload: Upload, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        let wasChanged = self.edits != nil || (self.phase.state == .deleted && upload.intent != .delete)
        try self.foldUpload(algebra)
        if self.isDissolved(upload) { return .dissolved }
        return wasChanged ? .refusedEarlier : .refused
    }

    /// Puts an upload that was not taken back into the local change.
    @inlinable mutating func foldUpload(_ algebra: Algebra) throws(Algebra.Failure) {
        let client = self.phase.state == .deleted ? nil : try self.contentOfEdits(algebra)
        self.upload = nil
        self.edits = nil
        guard let client else { return }
        self.edits = try algebra.change(from: self.confirmed.content, to: client)
    }

    /// A create that was not taken, of a record that was deleted meanwhile, leaves nothing.
    @inlinable func isDissolved(_ upload: Upload) -> Bool {
        self.phase.state == .deleted && upload.intent == .create
    }
}

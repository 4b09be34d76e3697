// What the inputs of the server amount to.

extension RecordMachine {
    /// A row of the feed, or the row that came with a conflicted answer.
    @inlinable mutating func classifyListed(_ state: ServerState, _ algebra: Algebra) throws(Algebra.Failure)
        -> RecordEvent
    {
        let isKnown = state == self.confirmed && self.seen == nil && self.base == nil
        if isKnown, self.phase != .absent { return .repeated }
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
        if isRecognised, try self.isOwn(upload, state, algebra) {
            self.seen = nil
            return try self.accept(upload, state, mayHideAnother: true, algebra)
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
        let merged = try algebra.merge(base: self.mergeBase, server: server, client: client)
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
        if state == self.confirmed, self.base == nil {
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

    /// Whether a row of the server has what was sent (R18).
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
        case .accepted(let state, let isOwnWrite):
            // A server that keeps no large result answers again with the present row (W4).
            return try self.accept(upload, state, mayHideAnother: upload.wasResent || !isOwnWrite, algebra)
        case .conflicted(let state):
            let isRecognised = upload.recognition == .byContent && upload.wasResent
            if isRecognised, try self.isOwn(upload, state, algebra) {
                return try self.accept(upload, state, mayHideAnother: true, algebra)
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

    /// R4, R5, R7, R14: the upload is taken, whatever row came with the answer, and is never sent again.
    ///
    /// - Parameter mayHideAnother: Whether the row may be another writer's, which was not seen here.
    @inlinable mutating func accept(
        _ upload: Upload, _ state: ServerState, mayHideAnother: Bool, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        // A row that was seen while the outcome was unknown may be the older or the newer one: versions have no order.
        let later = self.seen == state ? nil : self.seen
        if upload.intent == .delete { return try self.acceptDelete(state, later, algebra) }
        let isDeleted = self.phase.state == .deleted
        guard isDeleted || self.edits != nil else {
            self.settle(as: state)
            self.seen = later
            return state.content == nil ? .acceptedThenDeleted : .accepted
        }
        let sent = try self.contentOfUpload(algebra)
        let client = isDeleted ? nil : try self.contentOfEdits(algebra)
        self.settle(as: state)
        self.seen = later
        var isUnseen = state.content == nil
        if mayHideAnother, let server = state.content {
            isUnseen = try algebra.change(from: sent, to: server) != nil
        }
        if isUnseen {
            // The row follows as an input and meets the later change over what was sent.
            self.base = sent
            self.seen = later ?? state
        }
        guard let client else { return .acceptedEarlier }
        var content = client
        if !isUnseen, let server = state.content {
            content = try algebra.merge(base: sent, server: server, client: client).content
        }
        self.edits = try algebra.change(from: state.content, to: content)
        return self.edits == nil && !isUnseen ? .accepted : .acceptedEarlier
    }

    /// R4, R23: a delete is taken, and the record is gone. A row in the answer is another writer's, made since.
    @inlinable mutating func acceptDelete(
        _ state: ServerState, _ later: ServerState?, _ algebra: Algebra
    ) throws(Algebra.Failure) -> RecordEvent {
        let client = self.edits == nil ? nil : try self.contentOfEdits(algebra)
        let row = state.content == nil ? nil : state
        self.settle(as: row == nil ? state : .nothing)
        self.seen = later ?? row
        guard let client else { return .accepted }
        self.edits = try algebra.change(from: nil, to: client)
        return .acceptedGone
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

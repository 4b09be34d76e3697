import TidemarkMachine

// How the inputs of the server, and the verdict about a conflict, are classified as events.

extension RecordMachine {
    /// A row of the feed, or the row in an answer that reported a conflict.
    mutating func classifyListed(
        _ state: ServerState, _ algebra: JSONChanges, _ clash: inout RecordMerge?
    ) throws(TidemarkError) -> RecordEvent {
        let isKnown = state == self.confirmed && self.seen == nil && self.base == nil
        if isKnown, self.phase != .absent { return .repeated }
        if self.upload != nil { return try self.classifyListedWhileUnsettled(state, algebra) }
        switch self.phase {
        case .absent, .synced:
            guard state.content != nil else { return .gone }
            self.settle(as: state)
            return .refreshed
        case .edited: return try self.classifyListedOverEdit(state, algebra, &clash)
        case .created: return try self.classifyListedOverCreate(state, algebra)
        case .deleted: return try self.classifyListedOverDelete(state, algebra)
        }
    }

    /// The row in an answer that reported a conflict. If the local change clashes with it, that is a round; if not, the local
    /// change is sent again on top of it. Contention alone never holds a record (Contract §3.3).
    mutating func classifyMet(
        _ state: ServerState, _ algebra: JSONChanges, _ clash: inout RecordMerge?
    ) throws(TidemarkError) -> RecordEvent {
        let event = try self.classifyListed(state, algebra, &clash)
        // A create that meets a tombstone is sent again with its version, and this is no conflict (Contract §5).
        let isClash = event == .clashed || (event == .gone && self.phase.state == .edited)
        if isClash { self.rounds += 1 }
        return event
    }

    /// R18b: the row is stored in addition to the upload, since only the server's answer can show which of them is newer. If
    /// the server may not repeat its answer, the row itself has to show it.
    mutating func classifyListedWhileUnsettled(
        _ state: ServerState, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
        guard let upload = self.upload else { return .repeated }
        let isRecognized = upload.recognition == .byContent && self.phase.activity != .uploading
        if isRecognized, try self.isOwn(upload, state, algebra) {
            self.seen = nil
            return try self.accept(upload, state, origin: .anyWrite, algebra)
        }
        switch (self.phase, state, upload.intent) {
        case (.deleted, .tombstone, _), (.deleted, .nothing, .delete):
            self.seen = nil
            return .gone
        // A create that is still in transit may arrive after this row was read, so the row is no evidence.
        case (_, .nothing, .create): return .repeated
        case (_, .nothing, _), (_, .tombstone, _), (_, .row, _):
            self.seen = state
            return .seen
        }
    }

    mutating func classifyListedOverEdit(
        _ state: ServerState, _ algebra: JSONChanges, _ clash: inout RecordMerge?
    ) throws(TidemarkError) -> RecordEvent {
        guard let server = state.content, let client = try self.contentOfEdits(algebra) else {
            self.seen = state
            return .gone
        }
        let merged = try algebra.merge(base: self.mergeBase, server: server, client: client)
        guard !merged.hasClashes else {
            self.seen = state
            clash = merged
            return .clashed
        }
        return try self.rebase(merged.byRules, over: state, algebra) ? .rebased : .converged
    }

    /// R16: two creates are a conflict, unless they are equal.
    mutating func classifyListedOverCreate(
        _ state: ServerState, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
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

    mutating func classifyListedOverDelete(
        _ state: ServerState, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
        guard state.content != nil else {
            self.seen = nil
            return .gone
        }
        if state == self.confirmed, self.base == nil {
            // The row that was seen is older than assumed: the server has the version that this delete is about.
            self.settle(as: state, keepingRounds: true)
            return .rebased
        }
        self.seen = state
        return .clashed
    }

    /// - Returns: Whether a local change is left to send.
    mutating func rebase(
        _ content: RecordPayload, over state: ServerState, _ algebra: JSONChanges
    ) throws(TidemarkError) -> Bool {
        self.settle(as: state, keepingRounds: true)
        self.edits = try algebra.change(from: state.content, to: content)
        return self.edits != nil
    }

    /// Returns whether a row of the server contains the upload (R18).
    func isOwn(_ upload: Upload, _ state: ServerState, _ algebra: JSONChanges) throws(TidemarkError) -> Bool {
        switch (upload.change, state) {
        case (nil, .nothing), (nil, .tombstone): true
        case (.some(let change), .row(_, let content)): try algebra.shows(change, in: content)
        case (nil, .row), (.some, .nothing), (.some, .tombstone): false
        }
    }
}

// MARK: - Answers to a POST

extension RecordMachine {
    mutating func classifyAnswer(_ answer: Answer, _ algebra: JSONChanges) throws(TidemarkError) -> RecordEvent {
        guard let upload = self.upload else { preconditionFailure("\(answer) without an upload, in \(self.phase)") }
        switch answer {
        case .accepted(let state, let origin):
            // A server that does not store a large result answers again with the present row (W4).
            return try self.accept(upload, state, origin: upload.wasResent ? .anyWrite : origin, algebra)
        case .conflicted(let state):
            let isRecognized = upload.recognition == .byContent && upload.wasResent
            if isRecognized, try self.isOwn(upload, state, algebra) {
                return try self.accept(upload, state, origin: .anyWrite, algebra)
            }
            return try self.classifyConflict(upload, state, algebra)
        case .refused: return try self.classifyRefusal(upload, algebra)
        case .refusedUnread: return upload.wasResent ? .refusedUnconfirmed : try self.classifyRefusal(upload, algebra)
        case .refusedAsMissing:
            guard case .deleted = self.phase, upload.intent == .delete else {
                return try self.classifyRefusal(upload, algebra)
            }
            return .gone
        }
    }

    /// R4, R5, R7, R14: the upload is accepted, whatever row is in the answer, and is never sent again.
    ///
    /// - Parameter origin: Whose values the row has. Another writer's are new to this client.
    mutating func accept(
        _ upload: Upload, _ state: ServerState, origin: RowOrigin, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
        // A row that was seen while the upload was unconfirmed may be older or newer: versions have no order.
        let later = self.seen == state ? nil : self.seen
        if upload.intent == .delete { return try self.acceptDelete(state, later, algebra) }
        let isDeleted = self.phase.state == .deleted
        guard isDeleted || self.edits != nil else {
            self.settle(as: state)
            self.seen = later
            return state.content == nil ? .acceptedThenDeleted : .accepted
        }
        let (former, sent) = (self.confirmed.content, try self.contentOfUpload(algebra))
        let client = isDeleted ? nil : try self.contentOfEdits(algebra)
        self.settle(as: state)
        self.seen = later
        var isUnseen = state.content == nil
        if let server = state.content {
            isUnseen = try self.isUnseen(server, origin: origin, from: former, sent: sent, algebra)
        }
        if isUnseen {
            // The row follows as an input and is merged with the later change, with the uploaded content as the base.
            self.base = sent
            self.seen = later ?? state
        }
        guard let client else { return .acceptedEarlier }
        var content = client
        if !isUnseen, let server = state.content {
            content = try algebra.merge(base: sent, server: server, client: client).keepingClient
        }
        self.edits = try algebra.change(from: state.content, to: content)
        return self.edits == nil && !isUnseen ? .accepted : .acceptedEarlier
    }

    /// Whether the row of an accepted upload has another writer's values.
    func isUnseen(
        _ server: RecordPayload, origin: RowOrigin, from former: RecordPayload?, sent: RecordPayload?,
        _ algebra: JSONChanges
    ) throws(TidemarkError) -> Bool {
        switch origin {
        case .ownWrite: return false
        case .ownWriteWhereSent:
            guard let sent else { return true }
            // The merge has the sent values, and the server's where nothing was sent.
            let merged = try algebra.merge(base: former, server: server, client: sent).keepingClient
            return try algebra.change(from: sent, to: merged) != nil
        case .anyWrite, .readBack: return try algebra.change(from: sent, to: server) != nil
        }
    }

    /// R4, R23: the delete is accepted, and the record is gone. A row in the answer is another writer's, created after
    /// the delete.
    mutating func acceptDelete(
        _ state: ServerState, _ later: ServerState?, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
        let client = self.edits == nil ? nil : try self.contentOfEdits(algebra)
        let row = state.content == nil ? nil : state
        self.settle(as: row == nil ? state : .nothing)
        self.seen = later ?? row
        guard let client else { return .accepted }
        self.edits = try algebra.change(from: nil, to: client)
        return .acceptedGone
    }

    /// The server applied nothing: the upload becomes part of the local change again, and the row follows as the next input,
    /// `conflictRow` (``classifyMet``).
    mutating func classifyConflict(
        _ upload: Upload, _ state: ServerState, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
        try self.foldUpload(algebra)
        // The answer to a resend may be as old as the first request (W4), and then a row that was seen since is newer.
        if self.seen == nil || !upload.wasResent { self.seen = state }
        return self.isDissolved(upload) ? .cancelledCreateRefused : .conflicted
    }

    mutating func classifyRefusal(
        _ upload: Upload, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
        let wasChanged = self.edits != nil || (self.phase.state == .deleted && upload.intent != .delete)
        try self.foldUpload(algebra)
        if self.isDissolved(upload) { return .cancelledCreateRefused }
        return wasChanged ? .refusedEarlier : .refused
    }

    /// Merges an upload that was not accepted back into the local change.
    mutating func foldUpload(_ algebra: JSONChanges) throws(TidemarkError) {
        let client = self.phase.state == .deleted ? nil : try self.contentOfEdits(algebra)
        self.upload = nil
        self.edits = nil
        guard let client else { return }
        self.edits = try algebra.change(from: self.confirmed.content, to: client)
    }

    /// Whether nothing is left of a create: it was not accepted, and the record was deleted meanwhile.
    func isDissolved(_ upload: Upload) -> Bool {
        self.phase.state == .deleted && upload.intent == .create
    }
}

// MARK: - Verdicts

extension RecordMachine {
    mutating func classifyVerdict(
        _ verdict: Verdict, _ facts: Conflict, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
        guard let seen = self.seen, facts.server == seen, facts.base == self.mergeBase,
            facts.client == (try self.view(algebra))
        else { return .stale }
        switch verdict {
        case .ask: return .escalatedToUser
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

    /// Takes the server's side: nothing of the local change is left.
    mutating func takeServer(_ seen: ServerState) -> RecordEvent {
        self.settle(as: seen)
        return seen.content == nil ? .erased : .adopted
    }

    mutating func take(
        _ content: RecordPayload, over seen: ServerState, _ algebra: JSONChanges
    ) throws(TidemarkError) -> RecordEvent {
        let wasDeleted = self.phase.state == .deleted
        self.settle(as: seen, keepingRounds: true)
        self.edits = try algebra.change(from: seen.content, to: content)
        guard seen.content != nil else { return .recreated }
        // If nothing is left to send, the server's version won, and the discarded values are journalled.
        guard self.edits != nil else { return .adopted }
        return wasDeleted ? .revived : .rebased
    }

    /// Makes a state of the server the base, with no local change.
    ///
    /// `keepingRounds`: the count continues until the server accepts an upload, or the app acts (Contract §3.3, I8).
    mutating func settle(as state: ServerState, keepingRounds: Bool = false) {
        self.confirmed = state
        self.upload = nil
        self.edits = nil
        self.seen = nil
        self.base = nil
        if !keepingRounds { self.rounds = 0 }
    }
}

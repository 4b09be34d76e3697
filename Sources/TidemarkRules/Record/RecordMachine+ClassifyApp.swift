import TidemarkMachine

// How the inputs of the app and of the schedule are classified as events.

extension RecordMachine {
    /// Returns the event for an input, and updates the data of the machine.
    ///
    /// - Parameter clash: Is set to the merge of a row that clashes.
    mutating func classify(
        _ input: Input, _ algebra: JSONChanges, _ clash: inout RecordMerge?
    ) throws(TidemarkError) -> RecordEvent {
        switch input {
        case .create(let content): try self.classifyCreate(content, algebra)
        case .edit(let content): try self.classifyEdit(content, algebra)
        case .delete: self.classifyDelete()
        case .retry: self.classifyRetry()
        case .resign: self.classifyResign()
        // A discarded create was sent again only to learn whether the server has it.
        case .giveUp: self.isGivenUp ? .exhausted : self.classifyResign()
        case .send(let requestID, let roundLimit, let recognition):
            self.classifySend(requestID, roundLimit, recognition)
        case .hold: .exhausted
        case .feedRow(let state): try self.classifyListed(state, algebra, &clash)
        case .conflictRow(let state): try self.classifyMet(state, algebra, &clash)
        case .answered(let answer): try self.classifyAnswer(answer, algebra)
        case .lost: .lost
        case .historyLost: self.classifyHistoryLost()
        case .verdict(let verdict, let facts): try self.classifyVerdict(verdict, facts, algebra)
        }
    }

    /// Whether the record is held with an unconfirmed upload. That upload is sent again before any other, under its own request
    /// id: only the server's answer to it shows whether it was accepted (R17).
    var isHeldUnconfirmed: Bool { self.phase.activity == .held && self.upload != nil }

    /// Whether a create is held that was discarded while the server may have it (R21).
    var isGivenUp: Bool {
        self.phase.state == .deleted && self.isHeldUnconfirmed && self.confirmed.content == nil
    }

    mutating func classifyCreate(_ content: RecordPayload, _ algebra: JSONChanges) throws(TidemarkError)
        -> RecordEvent
    {
        self.rounds = 0
        self.edits = try algebra.replacement(of: try self.contentOfUpload(algebra), by: content)
        if self.phase == .absent { return .created }
        let isKnown = self.confirmed.content != nil
        // Deleted on both sides: the new record has no base.
        if !isKnown { self.base = nil }
        if self.isHeldUnconfirmed { return isKnown ? .createdUnconfirmed : .createdAgainUnconfirmed }
        guard isKnown else { return .createdAgain }
        return self.edits == nil && self.upload == nil && self.seen == nil ? .reverted : .created
    }

    mutating func classifyEdit(_ content: RecordPayload, _ algebra: JSONChanges) throws(TidemarkError) -> RecordEvent {
        self.rounds = 0
        self.edits = try algebra.change(from: try self.contentOfUpload(algebra), to: content)
        if self.isHeldUnconfirmed { return .editedUnconfirmed }
        return self.edits == nil && self.upload == nil && self.seen == nil ? .reverted : .edited
    }

    mutating func classifyDelete() -> RecordEvent {
        self.edits = nil
        self.rounds = 0
        if self.isHeldUnconfirmed { return .deletedUnconfirmed }
        guard case .created(let activity) = self.phase else { return .deleted }
        switch activity {
        case .uploading, .unconfirmed, .deciding: return .deleted
        case .idle, .held: return .discarded
        }
    }

    mutating func classifyRetry() -> RecordEvent {
        self.rounds = 0
        return self.upload == nil ? .retried : .resumed
    }

    mutating func classifyResign() -> RecordEvent {
        if self.phase.activity == .deciding, let seen = self.seen { return self.takeServer(seen) }
        if self.confirmed.content != nil {
            let seen = self.seen
            self.settle(as: self.confirmed)
            self.seen = seen
            return .resigned
        }
        self.edits = nil
        return self.upload == nil ? .abandoned : .createAbandoned
    }

    /// The server may have the upload, and may no longer repeat its answer. A row that was seen belongs to a history that is
    /// over; the full resync returns the current rows.
    mutating func classifyHistoryLost() -> RecordEvent {
        self.upload?.recognition = .byContent
        self.seen = nil
        return .idempotencyLost
    }

    mutating func classifySend(
        _ requestID: String, _ roundLimit: Int, _ recognition: Recognition
    ) -> RecordEvent {
        guard let upload = self.nextUpload(requestID, roundLimit, recognition) else { return .exhausted }
        self.upload = upload
        self.edits = self.phase.activity == .idle ? nil : self.edits
        return .sent
    }
}

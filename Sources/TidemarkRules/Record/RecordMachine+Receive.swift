package import TidemarkMachine

extension RecordMachine {
    /// Handles an input, and returns the actions to carry out.
    ///
    /// Carry out the actions, then receive `next`, until it is nil: all in one store transaction.
    ///
    /// - Precondition: The input can occur in this phase (R24). Check an input of the app first (``canReceive(_:)``); an input
    ///   of the server can always occur.
    package mutating func receive(_ input: Input, _ algebra: JSONChanges) throws(TidemarkError) -> Step {
        var changed = self
        var clash: RecordMerge?
        let event = try changed.classify(input, algebra, &clash)
        switch self.phase.transition(on: event) {
        case .move(let target, let actions):
            changed.phase = target
            let step = Step(
                event: event, source: self.phase, target: target, actions: actions,
                next: try changed.whatIsNext(after: event, algebra), clash: clash)
            if target == .absent { changed.settle(as: .nothing) }
            self = changed
            return step
        case .stay:
            // A row that is known already may still be the row that an empty change waits for.
            let next = try changed.whatIsNext(after: event, algebra)
            return Step(event: event, source: self.phase, target: self.phase, actions: [], next: next)
        case .impossible: preconditionFailure("\(event) can't occur in \(self.phase): \(input)")
        }
    }

    /// Returns whether an input of the app is valid in this phase. An input of the server always is.
    package func canReceive(_ input: Input) -> Bool {
        switch input {
        case .create:
            switch self.phase {
            case .absent, .deleted: true
            case .synced, .edited, .created: false
            }
        case .edit, .delete: self.isVisible
        case .retry: self.phase.activity == .held
        case .resign: self.phase.activity != nil
        case .giveUp: self.phase.activity == .held
        case .send: self.phase.activity == .idle || self.phase.activity == .unconfirmed
        case .hold: [.idle, .unconfirmed, .deciding].contains(self.phase.activity)
        case .answered, .lost: self.phase.activity == .uploading
        case .historyLost: [.unconfirmed, .held].contains(self.phase.activity) && self.upload != nil
        case .verdict: self.phase.activity == .deciding
        case .feedRow, .conflictRow: true
        }
    }

    /// Returns the upload that would be sent now; nil if it has none, or if the record has reached its limit of tries.
    ///
    /// The same function serves the size, the display and the request. An unconfirmed upload keeps its request id and its bytes
    /// (R17).
    ///
    /// - Parameters:
    ///   - requestID: The request id of a new upload.
    ///   - roundLimit: How often a change may be returned with a clash (Contract §3.3).
    package func nextUpload(_ requestID: String, _ roundLimit: Int, _ recognition: Recognition) -> Upload? {
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
                requestID: requestID, intent: intent, version: self.confirmed.version, change: self.edits,
                wasResent: false, recognition: recognition)
        case .uploading, .deciding, .held, nil: return nil
        }
    }

    /// Returns the input to receive if there is no other: a change that conflicted too often is held (Contract §3.3).
    package func overdue(roundLimit: Int) -> Input? {
        self.phase.activity == .idle && self.rounds >= roundLimit ? .hold : nil
    }

    /// Returns the open conflict, or nil. Every record that is deciding has one, so that it can be decided.
    package func conflict(_ algebra: JSONChanges) throws(TidemarkError) -> Conflict? {
        guard self.phase.activity == .deciding, let seen = self.seen else { return nil }
        return Conflict(
            kind: self.kind(of: seen), base: self.mergeBase, server: seen, client: try self.view(algebra))
    }

    /// Returns the input that settles an open conflict without a new verdict, since the facts or the rules have changed; nil if
    /// it stays open.
    ///
    /// - Parameter clash: Is set to the merge of the conflict, if it was made.
    package func settling(
        _ algebra: JSONChanges, _ clash: inout RecordMerge?
    ) throws(TidemarkError) -> Input? {
        guard self.phase.activity == .deciding, let seen = self.seen else { return nil }
        switch (self.phase, seen) {
        case (.deleted, .nothing), (.deleted, .tombstone): return .feedRow(seen)
        case (.edited, .nothing), (.edited, .tombstone):
            // Over a tombstone the edits are a whole record, even if nothing of it was changed here.
            guard let client = try self.view(algebra), try algebra.change(from: self.mergeBase, to: client) == nil
            else {
                return nil
            }
            let facts = Conflict(kind: .editDelete, base: self.mergeBase, server: seen, client: client)
            return .verdict(.server, about: facts)
        case (.edited, .row), (.created, .row):
            var probe = self
            return try probe.classify(.feedRow(seen), algebra, &clash) == .clashed ? nil : .feedRow(seen)
        case (.deleted, .row), (.created, .nothing), (.created, .tombstone), (.absent, _), (.synced, _): return nil
        }
    }

    func kind(of seen: ServerState) -> ConflictKind {
        switch (self.phase, seen) {
        case (.deleted, _): .deleteEdit
        case (.created, _): .createCreate
        case (.edited, .row): .editEdit
        case (.edited, .nothing), (.edited, .tombstone): .editDelete
        case (.absent, _), (.synced, _): preconditionFailure("a conflict in \(self.phase)")
        }
    }

    /// A row that was stored in addition to an upload is processed as soon as no upload is pending, and an empty edit
    /// ends.
    mutating func whatIsNext(after event: RecordEvent, _ algebra: JSONChanges) throws(TidemarkError) -> Input? {
        switch self.phase {
        case .absent, .synced, .edited(.idle), .created(.idle), .deleted(.idle):
            if let seen = self.seen {
                self.seen = nil
                return event == .conflicted ? .conflictRow(seen) : .feedRow(seen)
            }
            // The row of the answer that reported the conflict follows, and settles an empty change.
            guard self.phase == .edited(.idle), self.edits == nil, event != .conflicted else { return nil }
            return try self.view(algebra).map(Input.edit)
        case .edited, .created, .deleted: return nil
        }
    }
}

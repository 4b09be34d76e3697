import TidemarkCore
import TidemarkMachine

extension ExchangeWorld: Explorable {
    /// Every step that can be taken.
    public var moves: [Move] {
        var moves: [Move] = []
        if let sent {
            moves.append(.answer)
            if self.faults > 0 { moves += self.fates(of: sent.request).map(Move.fail) }
        } else {
            moves += self.isWaiting ? [.wake] : [.sync]
        }
        if self.late != nil { moves += [.arriveLate, .dropLate] }
        if self.server.begun != nil { moves.append(.becomesVisible) }
        if self.phase == .paused { moves.append(.renew) }
        if self.faults > 0 {
            if self.setting.renews, self.phase != .paused { moves.append(.renew) }
            if self.isResting || self.setting.asksAgain, self.isWaiting || self.sent != nil { moves.append(.sync) }
            moves += self.setting.turns.map(Move.server)
        }
        if self.edits > 0 { moves += self.acts }
        if self.writes > 0 { moves += self.othersActs }
        return moves
    }

    /// Whether a step happens by itself.
    public func isProgress(_ move: Move) -> Bool {
        switch move {
        case .sync: self.sent == nil && !self.isSettled
        case .wake, .answer, .arriveLate, .dropLate, .becomesVisible: true
        case .renew: self.phase == .paused
        case .act, .other, .begins, .fail, .server: false
        }
    }

    /// Whether all is quiet, and the same here and there, or held (I3).
    public var isGoal: Bool { self.isQuiet }

    private var acts: [Move] {
        self.setting.pks.flatMap { pk in
            let record = self.records[pk]
            let acts = self.setting.acts.filter { $0 != .poison || self.setting.poisoned.contains(pk) }
            return acts.filter { self.canDo($0, to: record) }.map { Move.act($0, pk) }
        }
    }

    private func canDo(_ act: Move.Act, to record: StoredRecord?) -> Bool {
        let isThere = record != nil && record?.phase.state != .deleted
        return switch act {
        case .create: !isThere
        case .type, .add, .delete, .poison, .dislike: isThere
        case .release: record?.phase.activity == .held
        case .resign: record?.phase.activity != nil
        case .takeServer, .takeClient: record?.phase.activity == .deciding
        }
    }

    private var othersActs: [Move] {
        self.setting.pks.flatMap { pk in
            let isThere = self.server.history.rows[pk]?.data != nil
            let acts = self.setting.others.filter { ($0 == .create) != isThere }
            let isLate = self.setting.lateness > 1 && self.server.begun == nil
            return acts.map { Move.other($0, pk) } + (isLate ? acts.map { Move.begins($0, pk) } : [])
        }
    }

    private func fates(of request: ExchangeRequest) -> [Move.Fate] {
        self.setting.fates.filter { self.isPossible($0, for: request) }
    }

    private func isPossible(_ fate: Move.Fate, for request: ExchangeRequest) -> Bool {
        let edits = request.uploads
        return switch fate {
        case .lost, .busy, .unauthorised, .elsewhere, .garbage, .resting, .storeFails, .portal, .cancelled, .killed:
            // What may arrive later has a place for one.
            self.late == nil || edits.isEmpty || (fate != .cancelled && fate != .killed)
        case .late: self.late == nil && !edits.isEmpty
        case .answerLost, .busyAfter, .notKnown, .unanswered: !edits.isEmpty
        case .inPart: edits.count > 1
        case .tooMuch: request.limit > 1 || edits.count > 1
        case .standsStill: request.watermark != nil
        case .forbidden: !edits.isEmpty
        // What let the bytes of an edit pass once lets them pass again.
        case .tooLarge: !edits.isEmpty && !edits.contains { self.mayHaveArrived($0) }
        }
    }

    private func mayHaveArrived(_ upload: UploadRequest) -> Bool {
        self.server.history.answers[upload.requestID] != nil
            || self.late?.uploads.contains { $0.requestID == upload.requestID } == true
    }

    // MARK: Where the device stands

    var phase: ExchangePhase { self.shape.exchange.phase }
    private var isWaiting: Bool { self.shape.until != nil }
    private var isResting: Bool { self.shape.restsUntil.map { $0 > self.now } ?? false }

    /// Whether nothing is under way, here or there, and what waits is named as held.
    var isQuiet: Bool { self.late == nil && self.server.begun == nil && self.isSettled }

    /// Whether the device has nothing to do.
    private var isSettled: Bool {
        guard self.sent == nil, self.phase == .idle else { return false }
        guard !self.state.isListing, self.state.watermark == self.server.end.text else { return false }
        // A row that became visible below the end of the feed does not show in the watermark, and the next pull brings it.
        guard self.server.history.rows.allSatisfy({ self.knows($1, of: $0) }) else { return false }
        return self.records.values.allSatisfy { [nil, .held, .deciding].contains($0.phase.activity) }
    }
}

import TidemarkMachine

extension World {
    /// Every step that is possible from here.
    package var moves: [Move] {
        var moves = self.messages + self.decisions
        if self.remaining > 0 {
            moves += self.ofApp + self.ofOthers + self.faults
        }
        return moves
    }

    /// Whether a step happens by itself. Each other step uses one input.
    package func isProgress(_ move: Move) -> Bool {
        switch move {
        case .post, .get, .deliver, .receive, .deliverGhost, .dropGhost, .decide, .decideLate: true
        case .create, .createAsConfirmed, .edit, .delete, .release, .resign, .giveUp, .hold, .deliverTwice,
            .deliverRefused,
            .deliverUnread,
            .deliverMissing, .receiveRowsOnly, .timeOut, .crash, .otherCreates, .otherEdits, .otherDeletes, .purge,
            .purgeOfAnother, .restore:
            false
        }
    }

    private func has(_ feature: Setting.Features) -> Bool { self.setting.features.contains(feature) }

    /// Whether the server has a change that the client does not know.
    var hasNews: Bool {
        self.isFull || Self.version(self.server.state.version) > self.cursor || self.server.horizon > self.cursor
    }

    private var messages: [Move] {
        var moves: [Move] = []
        switch self.flight {
        case .none:
            if self.machine.canReceive(.send(requestID: "", roundLimit: 0, recognition: .byAnswer)) {
                moves.append(.post)
            }
            // Also while an upload is due: the answer to another record's upload includes this row as well.
            if self.hasNews { moves.append(.get) }
        case .posting, .getting: moves.append(.deliver)
        case .answered: moves.append(.receive)
        }
        for index in self.ghosts.indices { moves += [.deliverGhost(index), .dropGhost(index)] }
        return moves
    }

    private var decisions: [Move] {
        guard let conflict = self.conflict else { return [] }
        var moves = [Move.Decision.server, .client, .mix].map(Move.decide)
        if conflict.server.content != nil { moves.append(.decide(.serversContent)) }
        if self.question != conflict { moves.append(.decide(.ask)) }
        if self.question != nil, self.question != conflict { moves.append(.decideLate) }
        return moves
    }

    private var ofApp: [Move] {
        var moves: [Move] = []
        if !self.has(.counting), self.machine.canReceive(.create(TinyContent())) {
            moves.append(.create(.first))
            if self.machine.confirmed.content != nil { moves.append(.createAsConfirmed) }
        }
        if self.has(.counting) {
            if self.view != nil { moves.append(.edit(.count)) }
            if self.machine.canReceive(.retry) { moves.append(.release) }
            if self.machine.canReceive(.hold) { moves.append(.hold) }
            return moves
        }
        if let view = self.view {
            moves += [.edit(.a), .edit(.b), .edit(.nothing)]
            if let content = self.machine.confirmed.content, content != view { moves.append(.edit(.back)) }
            if self.has(.refusals) { moves.append(.edit(.poison)) }
        }
        if self.machine.canReceive(.delete) { moves.append(.delete) }
        if self.machine.canReceive(.retry) { moves.append(.release) }
        if self.has(.resigning), self.machine.canReceive(.resign) { moves.append(.resign) }
        if self.has(.resigning), self.machine.canReceive(.giveUp) { moves.append(.giveUp) }
        if self.has(.refusals), self.machine.canReceive(.hold) { moves.append(.hold) }
        return moves
    }

    private var ofOthers: [Move] {
        guard self.has(.others) else { return self.restores }
        guard !self.has(.counting) else { return self.server.state.content == nil ? [] : [.otherEdits(.count)] }
        var moves: [Move] = []
        switch self.server.state {
        case .row: moves = [.otherEdits(.a), .otherEdits(.b), .otherEdits(.same), .otherDeletes]
        case .nothing, .tombstone: moves = [.otherCreates(.first), .otherCreates(.second)]
        }
        // A tombstone outlives every request that was made before it (W7: 90 days).
        let isUnsettled = !self.ghosts.isEmpty || self.machine.upload != nil
        if self.has(.purges), !isUnsettled, case .tombstone = self.server.state { moves.append(.purge) }
        if self.has(.purges), !self.hasNews { moves.append(.purgeOfAnother) }
        return moves + self.restores
    }

    /// The server is restored only when no old request can arrive any more, since nothing tells an old request from a new one
    /// after that.
    private var restores: [Move] {
        guard self.has(.restores), self.ghosts.isEmpty, self.server.state != self.server.backup else { return [] }
        switch self.flight {
        case .none: return [.restore]
        case .posting, .getting, .answered: return []
        }
    }

    private var faults: [Move] {
        var moves: [Move] = []
        switch self.flight {
        case .none: break
        case .posting(let upload, _, _):
            if self.has(.losses) { moves.append(.timeOut) }
            if self.has(.ghosts) { moves.append(.deliverTwice) }
            if self.has(.refusals) {
                moves += [.deliverRefused, .deliverUnread]
                if upload.intent != .create, self.server.state.content == nil { moves.append(.deliverMissing) }
            }
        case .getting: if self.has(.losses) { moves.append(.timeOut) }
        case .answered(let reply):
            guard self.has(.losses) else { break }
            moves.append(.timeOut)
            if reply.result != nil, reply.listed != nil { moves.append(.receiveRowsOnly) }
        }
        if self.has(.losses), self.machine.phase != .absent || self.flight != .none { moves.append(.crash) }
        return moves
    }
}

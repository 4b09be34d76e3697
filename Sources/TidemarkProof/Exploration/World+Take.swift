import TidemarkMachine

extension World {
    /// The world after a step.
    package func taking(_ move: Move) -> World {
        var world = self
        world.taken = []
        world.take(move)
        return world
    }

    mutating func take(_ move: Move) {
        if !self.isProgress(move) { self.remaining -= 1 }
        if move == .edit(.count) || move == .otherEdits(.count) { self.tally += 1 }
        switch move {
        case .create, .createAsConfirmed, .edit, .delete, .release, .resign, .giveUp, .hold: self.takeOfApp(move)
        case .post: self.post()
        case .get: self.flight = .getting(cursor: self.cursor, isFull: self.isFull)
        case .deliver: self.deliver(.asIs)
        case .deliverTwice:
            if case .posting(let upload, _, _) = self.flight { self.ghosts.append(upload) }
            self.deliver(.asIs)
        case .deliverRefused: self.deliver(.refused)
        case .deliverUnread: self.deliver(.unread)
        case .deliverMissing: self.deliver(.missing)
        case .receive: self.receive(isComplete: true)
        case .receiveRowsOnly: self.receive(isComplete: false)
        case .timeOut: self.timeOut()
        case .crash: self.crash()
        case .deliverGhost(let index): _ = self.answer(to: self.ghosts.remove(at: index), .asIs)
        case .dropGhost(let index): self.ghosts.remove(at: index)
        case .decide(let decision): self.decide(decision)
        case .decideLate: self.decideLate()
        case .otherCreates, .otherEdits, .otherDeletes, .purge, .purgeOfAnother, .restore: self.takeOfOthers(move)
        }
    }

    private mutating func takeOfApp(_ move: Move) {
        switch move {
        case .create(let content): self.feed(.create(Self.content(content)))
        case .createAsConfirmed: if let content = self.machine.confirmed.content { self.feed(.create(content)) }
        case .edit(let edit): if let content = self.content(after: edit) { self.feed(.edit(content)) }
        case .delete: self.feed(.delete)
        case .release: self.feed(.retry)
        case .resign: self.feed(.resign)
        case .giveUp: self.feed(.giveUp)
        case .hold: self.feed(.hold)
        case .post, .get, .deliver, .deliverTwice, .deliverRefused, .deliverUnread, .deliverMissing, .receive,
            .receiveRowsOnly,
            .timeOut, .crash, .deliverGhost, .dropGhost, .decide, .decideLate, .otherCreates, .otherEdits,
            .otherDeletes, .purge, .purgeOfAnother, .restore:
            break
        }
    }

    private static func content(_ content: Move.Content) -> TinyContent {
        switch content {
        case .first: TinyContent(a: 1)
        case .second: TinyContent(a: 3)
        }
    }

    private func content(after edit: Move.Edit) -> TinyContent? {
        guard var content = self.view else { return nil }
        switch edit {
        // Each edit sets another value than the previous edit, so that edits of the same field differ.
        case .a: content.a = content.a == 2 ? 4 : 2
        case .b: content.b = content.b == 2 ? 0 : 2
        case .count: content.b += 1
        case .back: return self.machine.confirmed.content
        case .nothing: break
        case .poison: content.a = Self.poison
        }
        return content
    }

    /// The value that the server refuses.
    static let poison: UInt8 = 7
}

// MARK: - The other writer

extension World {
    private mutating func takeOfOthers(_ move: Move) {
        switch move {
        case .otherCreates(let content): self.write(Self.content(content))
        case .otherEdits(let edit):
            if let row = self.server.state.content { self.write(Self.content(row, after: edit)) }
        case .otherDeletes: self.write(nil)
        case .purge:
            self.server.horizon = Self.version(self.server.state.version)
            self.server.state = .nothing
        case .purgeOfAnother:
            self.server.clock += 1
            self.server.horizon = self.server.clock
        case .restore:
            self.server.clock += 1
            self.server.horizon = self.server.clock
            self.server.state = self.server.backup
            self.server.memory = [:]
        case .create, .createAsConfirmed, .edit, .delete, .release, .resign, .giveUp, .hold, .post, .get, .deliver,
            .deliverTwice, .deliverRefused, .deliverUnread, .deliverMissing, .receive, .receiveRowsOnly, .timeOut,
            .crash,
            .deliverGhost, .dropGhost, .decide, .decideLate:
            break
        }
        if move != .purge, move != .purgeOfAnother { self.server.isOthers = true }
    }

    private static func content(_ row: TinyContent, after edit: Move.OthersEdit) -> TinyContent {
        var row = row
        switch edit {
        case .a: row.a = row.a == 3 ? 0 : 3
        case .b: row.b = row.b == 3 ? 0 : 3
        case .same: row.a = 2
        case .count: row.b += 1
        }
        return row
    }

    /// Gives the server's record a content, or a tombstone, and the next version.
    mutating func write(_ content: TinyContent?) {
        guard content != self.server.state.content || content == nil else { return }
        self.server.clock += 1
        let version = Self.version(self.server.clock)
        self.server.state = content.map { .row(version: version, $0) } ?? .tombstone(version: version)
    }
}

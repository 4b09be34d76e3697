import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Takes in what an answer brought: results, then rows; and the end of a full resync.
struct Inbox {
    let turn: Turn

    private var store: any RecordStore { self.turn.store }
    private var collection: String { self.turn.collection }
    private var driver: RecordDriver { RecordDriver(turn: self.turn) }

    /// Counts what an answer brought.
    func count(_ answer: ExchangeAnswer) {
        let rows = answer.page.rows.count
        self.turn.gains.received += rows
        self.turn.exchange.left = answer.left ?? self.turn.exchange.left.map { max(0, $0 - rows) }
    }

    /// Adds to the report what an input ran through.
    private func note(_ course: RecordDriver.Course, of pk: String) {
        let kinds = course.events.map(\.kind)
        if kinds.contains(.accepted) {
            self.turn.gains.pushed.append(pk)
            self.turn.exchange.machine.postponed.noteTaken(CodePointString(pk))
        }
        if course.isContended {
            self.turn.exchange.machine.postponed.noteContention(for: CodePointString(pk), self.turn.exchangeLimits)
        }
        if kinds.contains(where: \.isMerge) { self.turn.gains.merged.append(pk) }
    }
}

// MARK: - Results

extension Inbox {
    /// Takes in what became of the edits.
    ///
    /// - Returns: Whether every row that came as a result was applied.
    func take(_ results: [UploadResult]) throws(TidemarkError) -> Bool {
        var isWhole = true
        let aside = results.isEmpty ? [] : try self.store.itemsSetAside(in: self.collection)
        let shownOddly = Set(aside.map { CodePointString($0.pk) })
        var named: Set<CodePointString> = []
        // Where nothing is known of all that was sent, no sending again would end (I8): they count as unanswered.
        let isAnyKnown = results.contains { $0.outcome != .unknown }
        for result in results where isAnyKnown || result.outcome != .unknown {
            guard let name = self.turn.exchange.machine.request.name(of: result.requestID) else { continue }
            let record = try self.turn.undamaged(name.value)
            self.turn.exchange.machine.request.settle(result.requestID)
            guard let record, try self.take(result, for: record) else {
                // Without a row in it there is nothing that the feed need not bring again (W6).
                if result.version != nil { isWhole = false }
                continue
            }
            if result.version != nil, shownOddly.contains(name) {
                // What is answered to an upload that was sent before may be older than what the feed has shown since (W4): then
                // the feed has to show the record again.
                let isOfNow = record.machine.upload?.wasResent == false
                if isOfNow { named.insert(name) } else { isWhole = false }
            }
        }
        if !named.isEmpty { try self.clearAside { named } }
        return isWhole
    }

    /// - Returns: Whether its row was taken in.
    private func take(_ result: UploadResult, for record: Record) throws(TidemarkError) -> Bool {
        // The app may have given the upload up meanwhile (R19). Or a row was seen while its fate was unknown, and
        // versions have no order: which of the two is newer, only the feed can say, unless they are the same.
        guard record.machine.upload?.requestID == result.requestID else { return false }
        let isNewest = record.machine.seen.map { $0 == result.version?.state } ?? true
        var record = record
        if let name = result.name, result.version != nil { try self.name(&record, name) }
        // What is deleted has no name any more, whatever became of the edit.
        if let version = result.version, version.data == nil { record.name = nil }
        let damage = try self.turn.damage { () throws(TidemarkError) in
            self.note(try self.driver.drive(&record, self.ruling(for: result)), of: record.pk)
        }
        if damage != nil { self.turn.leaveOut(record.pk) }
        return isNewest && damage == nil
    }

    /// Counts records as listed: a page need not bring again what a result of the same answer has shown (W6).
    func list(_ pks: [CodePointString]) throws(TidemarkError) {
        let listing = try self.turn.state().listing
        for pk in pks {
            guard var stored = try self.store.record(pk.value, in: self.collection) else { continue }
            stored.listing = listing
            try self.store.save(stored, in: self.collection)
        }
    }

    /// The server names a record. What the feed showed under that name before, while the answer was on its way, is the same
    /// record; where it was changed here since, it goes on by itself.
    private func name(_ record: inout Record, _ name: String) throws(TidemarkError) {
        record.name = name
        guard let other = try self.store.record(named: name, in: self.collection), other.phase == .synced,
            CodePointString(other.pk) != CodePointString(record.pk), CodePointString(other.pk) == CodePointString(name)
        else { return }
        try self.store.erase(other.pk, in: self.collection)
        self.turn.tell(other.pk, .server, .absent)
    }

    /// The server has the record no more, so what is made again gets another name. It is saved by itself, since a deletion
    /// that is known already writes nothing.
    private func forgetName(of record: inout Record) throws(TidemarkError) {
        guard record.name != nil, record.machine.phase != .absent else { return }
        record.name = nil
        try self.store.save(record.stored, in: self.collection)
    }

    private func ruling(for result: UploadResult) -> Ruling {
        switch result.outcome {
        case .accepted(let version):
            // A server that alters values shows another row than was sent, and nothing tells that from another writer's.
            let isOwnWrite = self.turn.capabilities.condition == .atomic || self.turn.capabilities.values != .exact
            return Ruling(.answered(.accepted(version.state, isOwnWrite: isOwnWrite)))
        case .conflicted(let version): return Ruling(.answered(.conflicted(version.state)))
        case .unknown: return Ruling(.lost)
        case .refused(let problem):
            let isMissing = problem.status == 404 || problem.status == 410
            return Ruling(.answered(isMissing ? .refusedAsMissing : .refused), hold: RecordHold(refusedWith: problem))
        }
    }
}

// MARK: - Rows

extension Inbox {
    /// Takes in the rows of a page.
    ///
    /// - Returns: How many of them changed something here, and how many were known.
    func take(_ page: FeedPage) throws(TidemarkError) -> (changed: Int, known: Int) {
        guard !page.rows.isEmpty else { return (0, 0) }
        let history = LostHistory(turn: self.turn)
        let losses = try history.values(lostBy: page)
        let keeper = WatchKeeper(turn: self.turn)
        let watched = try keeper.watched(in: page)
        let outcome = try self.store.refresh(
            page, in: self.collection, listing: try self.turn.state().listing)
        for index in outcome.changed {
            let row = page.rows[index]
            let pk = outcome.pks[index] ?? page.pk(of: row)
            self.turn.tell(pk, .server, row.data.isEmpty ? .absent : .synced)
        }
        var changed = outcome.changed.count
        var damaged: [ItemSetAside] = []
        for index in outcome.left {
            let row = page.rows[index]
            let (pk, version) = (outcome.pks[index] ?? page.pk(of: row), page.version(of: row))
            let damage = try self.turn.damage { () throws(TidemarkError) in
                var record = try self.turn.load(pk)
                let before = record.machine
                // What is deleted has no name any more, and what is made again gets another. An upload goes where it went (R17).
                if row.isTombstone, before.upload == nil { try self.forgetName(of: &record) }
                let course = try self.driver.drive(&record, .listed(version.state))
                if record.machine != before { changed += 1 }
                self.note(course, of: pk)
            }
            if let damage { damaged.append(ItemSetAside(pk: pk, reason: damage.message)) }
        }
        try keeper.review(watched)
        try history.journal(losses)
        try self.clearAside(page, outcome)
        damaged += outcome.contested.map { self.contested(page.rows[$0], of: page) }
        for item in damaged { try self.store.setAside(item, in: self.collection) }
        self.turn.gains.pulled += changed
        return (changed, page.rows.count - changed - outcome.absent(of: page))
    }

    /// Counts how often items that make no sense came.
    ///
    /// - Parameter isAfresh: Whether a full resync begins, which clears what was set aside.
    /// - Returns: Whether that is often enough for the watermark to go on, whether any of them was not set aside before, and how
    ///   many were.
    func weigh(
        _ items: [ItemSetAside], isAfresh: Bool
    ) throws(TidemarkError) -> (mayPass: Bool, isNews: Bool, known: Int) {
        // What was set aside before is no news, however often a listing or a feed that goes back brings it.
        let aside = Set(items.isEmpty || isAfresh ? [] : try self.store.itemsSetAside(in: self.collection))
        let known = items.count { aside.contains($0) }
        let isNews = known < items.count
        let tries = isNews ? try self.turn.state().malformedTries + 1 : 0
        let isOver = tries >= self.turn.limits.malformedTries
        try self.turn.change { $0.malformedTries = isOver ? 0 : tries }
        return (isOver || !isNews, isNews, known)
    }

    /// Sets items aside that make no sense.
    func setAside(_ items: [ItemSetAside]) throws(TidemarkError) {
        for item in items { try self.store.setAside(item, in: self.collection) }
    }

    /// Of two records of the server with one pk the one that came first has it; the other is kept under its name.
    private func contested(_ row: FeedPage.Row, of page: FeedPage) -> ItemSetAside {
        let (name, pk) = (page.name(of: row) ?? "", page.pk(of: row))
        return ItemSetAside(
            pk: name, reason: "the server has two records with the pk “\(pk)”, and “\(name)” came second")
    }

    private func clearAside(_ page: FeedPage, _ outcome: PageOutcome) throws(TidemarkError) {
        let contested = Set(outcome.contested)
        try self.clearAside {
            var listed: Set<CodePointString> = []
            for (index, row) in page.rows.enumerated() where !contested.contains(index) {
                listed.insert(CodePointString(outcome.pks[index] ?? page.pk(of: row)))
                if let name = page.name(of: row) { listed.insert(CodePointString(name)) }
            }
            return listed
        }
    }

    /// A version that makes sense clears what was set aside, whichever way it comes (SPEC §3.5).
    private func clearAside(_ named: () -> Set<CodePointString>) throws(TidemarkError) {
        let aside = try self.store.itemsSetAside(in: self.collection)
        guard !aside.isEmpty else { return }
        let named = named()
        for item in aside where named.contains(CodePointString(item.pk)) {
            try self.store.clearAside(item.pk, in: self.collection)
        }
    }

    /// What was not listed from start to end is gone here too (SPEC §6). Nothing unsent is dropped by it, and nothing
    /// that was listed in a form that makes no sense.
    func endListing() throws(TidemarkError) {
        let history = LostHistory(turn: self.turn)
        let listing = try self.turn.state().listing
        let aside = Set(try self.store.itemsSetAside(in: self.collection).map { CodePointString($0.pk) })
        var after: String?
        while true {
            let page = try self.store.unlistedRecords(
                in: self.collection, listing: listing, after: after, limit: self.turn.limits.pageSize)
            guard let last = page.last else { break }
            after = last.pk
            for stored in page where !aside.contains(CodePointString(stored.pk)) { try self.drop(stored, history) }
            for stored in page where aside.contains(CodePointString(stored.pk)) { try self.doubt(stored, history) }
        }
        try history.end()
        try self.turn.change { $0.resync = nil }
    }

    /// What a server that went back has of a record, it did not say so that it makes sense; and what it says next replaces what
    /// was confirmed (I1).
    private func doubt(_ stored: StoredRecord, _ history: LostHistory) throws(TidemarkError) {
        guard try history.isUnderWay() else { return }
        _ = try self.turn.damage { () throws(TidemarkError) in
            for loss in try history.values(of: stored, lostTo: nil) where try history.isNew(loss) {
                try history.journal([loss])
            }
        }
    }

    private func drop(_ stored: StoredRecord, _ history: LostHistory) throws(TidemarkError) {
        let damage = try self.turn.damage { () throws(TidemarkError) in
            let losses = try history.isUnderWay() ? history.values(of: stored, lostTo: nil) : []
            if stored.phase == .synced { try WatchKeeper(turn: self.turn).noteGone(stored) }
            var record = try self.turn.revive(stored)
            try self.driver.drive(&record, .listed(.nothing))
            try history.journal(losses)
        }
        if let damage {
            try self.store.setAside(ItemSetAside(pk: stored.pk, reason: damage.message), in: self.collection)
        }
    }
}

extension PageOutcome {
    /// How many rows of the page are deletions of what is not here.
    fileprivate func absent(of page: FeedPage) -> Int {
        guard self.changed.count < page.rows.count else { return 0 }
        let deletions = page.rows.count(where: \.isTombstone)
        guard deletions > 0 else { return 0 }
        return deletions - (self.changed + self.left).count { page.rows[$0].isTombstone }
    }
}

extension RecordEvent.Kind {
    /// Whether both sides had changed the record, and one outcome came of it.
    fileprivate var isMerge: Bool {
        switch self {
        case .merged: true
        case .app, .resignation, .schedule, .feed, .accepted, .notAccepted, .question: false
        }
    }
}

extension UploadResult {
    /// What the server has of the record now; nil where that is not said.
    var version: StoredVersion? {
        switch self.outcome {
        case .accepted(let version), .conflicted(let version): version
        case .refused, .unknown: nil
        }
    }
}

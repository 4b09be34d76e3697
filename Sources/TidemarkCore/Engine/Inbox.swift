import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Applies an answer: results, then rows; and the end of a full resync.
struct Inbox {
    let transaction: EngineTransaction

    var store: any RecordStore { self.transaction.store }
    var collection: String { self.transaction.collection }
    var driver: RecordDriver { RecordDriver(transaction: self.transaction) }

    func count(_ answer: ExchangeAnswer) {
        let rows = answer.page.rows.count
        self.transaction.counters.received += rows
        let left = self.transaction.exchange.sync?.left
        self.transaction.exchange.sync?.left = answer.left ?? left.map { max(0, $0 - rows) }
    }

    /// Adds the transitions of an input to the report.
    private func note(_ course: RecordDriver.Course, of pk: String) {
        if course.isAccepted {
            self.transaction.counters.pushed.append(pk)
            self.transaction.exchange.machine.postponed.noteAccepted(CodePointString(pk))
        }
        if course.isContended {
            self.transaction.exchange.machine.postponed.noteContention(
                for: CodePointString(pk), self.transaction.exchangeLimits)
        }
        if course.isMerged { self.transaction.counters.merged.append(pk) }
    }
}

// MARK: - Results

extension Inbox {
    /// Applies the results of the edits.
    ///
    /// - Returns: Whether every row in a result was applied.
    func take(_ results: [UploadResult]) throws(TidemarkError) -> Bool {
        var isWhole = true
        let items = results.isEmpty ? [] : try self.store.quarantinedItems(in: self.collection)
        let quarantined = Set(items.map { CodePointString($0.pk) })
        var named: Set<CodePointString> = []
        // If the outcome of every edit is unknown they count as unanswered, because only that has a back-off (I8).
        let isAnyKnown = results.contains { $0.outcome != .unknown }
        let identity = RowIdentity(transaction: self.transaction)
        for result in results.map(identity.checked) where isAnyKnown || result.outcome != .unknown {
            guard let name = self.transaction.exchange.machine.request.name(of: result.requestID) else { continue }
            let record = try self.transaction.undamaged(name.value)
            self.transaction.exchange.machine.request.settle(result.requestID)
            guard let record, try self.take(result, for: record) else {
                // A result without a row leaves no row that the feed must return again (W6).
                if result.version != nil { isWhole = false }
                continue
            }
            if result.version != nil, quarantined.contains(name) {
                // The result of an upload that was sent before may be older than the row that the feed has shown since (W4):
                // then the feed has to show the record again.
                let isOfNow = record.machine.upload?.wasResent == false
                if isOfNow { named.insert(name) } else { isWhole = false }
            }
        }
        if !named.isEmpty { try self.clearQuarantine { named } }
        return isWhole
    }

    /// - Returns: Whether its row was applied.
    private func take(_ result: UploadResult, for record: Record) throws(TidemarkError) -> Bool {
        // The app may have resigned the upload meanwhile (R19). Or a row arrived while its outcome was unknown, and versions
        // have no order: only the feed shows which of the two is newer, unless they are equal.
        guard record.machine.upload?.requestID == result.requestID else { return false }
        let isNewest = record.machine.seen.map { $0 == result.version?.state } ?? true
        var record = record
        if let name = result.name, result.version != nil { try self.name(&record, name) }
        // A deleted record has no name any more, whatever the outcome of the edit is.
        if let version = result.version, version.data == nil { record.name = nil }
        let damage = try self.transaction.damage { () throws(TidemarkError) in
            self.note(try self.driver.drive(&record, self.driven(for: result)), of: record.pk)
        }
        if damage != nil { self.transaction.leaveOut(record.pk) }
        return isNewest && damage == nil
    }

    /// Marks records as contained in the full resync: a page need not return a record that a result of the same answer has
    /// returned (W6).
    func markInResync(_ pks: [CodePointString]) throws(TidemarkError) {
        let resyncGeneration = try self.transaction.state().resyncGeneration
        for pk in pks {
            guard var stored = try self.store.record(pk.value, in: self.collection) else { continue }
            stored.resyncGeneration = resyncGeneration
            try self.store.save(stored, in: self.collection)
        }
    }

    /// Sets the name that the server gives a record. If the feed showed a record under that name while the answer was in
    /// flight, it is the same record; but if the app has changed that record meanwhile, it stays a separate record.
    private func name(_ record: inout Record, _ name: String) throws(TidemarkError) {
        record.name = name
        guard let other = try self.store.record(named: name, in: self.collection), other.phase == .synced,
            CodePointString(other.pk) != CodePointString(record.pk), CodePointString(other.pk) == CodePointString(name)
        else { return }
        try self.store.erase(other.pk, in: self.collection)
        self.transaction.tell(other.pk, .server, .absent)
    }

    /// Removes the name of a record that the server no longer has: a record that is created again gets another name. It is
    /// saved here, because a deletion that is already known writes nothing.
    private func forgetName(of record: inout Record) throws(TidemarkError) {
        guard record.name != nil, record.machine.phase != .absent else { return }
        record.name = nil
        try self.store.save(record.stored, in: self.collection)
    }

    /// Returns whose values the row of an accepted edit has.
    private func origin(of result: UploadResult) -> Record.Machine.RowOrigin {
        guard !result.isReadBack else { return .readBack }
        let capabilities = self.transaction.capabilities
        return switch (capabilities.condition, capabilities.values) {
        case (.atomic, _): .ownWrite
        case (.checkedFirst, .rounded), (.none, .rounded): .ownWriteWhereSent
        case (.checkedFirst, .exact), (.checkedFirst, .byValue), (.none, .exact), (.none, .byValue): .anyWrite
        }
    }

    private func driven(for result: UploadResult) -> DrivenInput {
        switch result.outcome {
        case .accepted(let version):
            return DrivenInput(.answered(.accepted(version.state, origin: self.origin(of: result))))
        case .conflicted(let version): return DrivenInput(.answered(.conflicted(version.state)))
        case .unknown: return DrivenInput(.lost)
        case .refused(let problem):
            let isMissing = problem.status == 404 || problem.status == 410
            return DrivenInput(
                .answered(isMissing ? .refusedAsMissing : .refused), hold: RecordHold(refusedWith: problem))
        }
    }
}

// MARK: - Rows

extension Inbox {
    /// Applies the rows of a page. If the server uses the name of a record for another one, the record loses its name first.
    ///
    /// - Returns: How many of them changed a record here, and how many were known.
    func take(_ page: FeedPage) throws(TidemarkError) -> (changed: Int, known: Int) {
        let identity = RowIdentity(transaction: self.transaction)
        var (sum, begin, walk) = ((changed: 0, known: 0), 0, RowIdentity.Walk())
        func apply(upTo end: Int) throws(TidemarkError) {
            let isWhole = begin == 0 && end == page.rows.count
            let part = isWhole ? page : FeedPage(bytes: page.bytes, rows: Array(page.rows[begin..<end]))
            let (changed, known) = try self.apply(part)
            sum = (sum.changed + changed, sum.known + known)
            begin = end
        }
        for (index, row) in page.rows.enumerated() where !row.name.isEmpty {
            let reuses = try identity.reuses(by: row, of: page, &walk)
            guard !reuses.isEmpty else { continue }
            try apply(upTo: index)
            for reuse in reuses { try identity.remove(reuse) }
        }
        try apply(upTo: page.rows.count)
        return sum
    }

    private func apply(_ page: FeedPage) throws(TidemarkError) -> (changed: Int, known: Int) {
        guard !page.rows.isEmpty else { return (0, 0) }
        let history = ServerRollback(transaction: self.transaction)
        let losses = try history.values(lostBy: page)
        let keeper = LostUpdateGuard(transaction: self.transaction)
        let watched = try keeper.watched(in: page)
        let outcome = try self.store.refresh(
            page, in: self.collection, resyncGeneration: try self.transaction.state().resyncGeneration)
        for index in outcome.changed {
            let row = page.rows[index]
            let pk = outcome.pks[index] ?? page.pk(of: row)
            self.transaction.tell(pk, .server, row.data.isEmpty ? .absent : .synced)
        }
        var changed = outcome.changed.count
        var damaged: [QuarantinedItem] = []
        for index in outcome.left {
            let row = page.rows[index]
            let (pk, version) = (outcome.pks[index] ?? page.pk(of: row), page.version(of: row))
            let damage = try self.transaction.damage { () throws(TidemarkError) in
                var record = try self.transaction.load(pk)
                let before = record.machine
                // A deleted record has no name any more, and one that is created again gets another. An upload keeps its target
                // (R17).
                if row.isTombstone, before.upload == nil { try self.forgetName(of: &record) }
                let course = try self.driver.drive(&record, .feedRow(version.state))
                if record.machine != before { changed += 1 }
                self.note(course, of: pk)
            }
            if let damage { damaged.append(QuarantinedItem(pk: pk, reason: damage.message)) }
        }
        try keeper.review(watched)
        try history.journal(losses)
        try self.clearQuarantine(page, outcome)
        damaged += outcome.contested.map { self.contested(page.rows[$0], of: page) }
        for item in damaged { try self.store.quarantine(item, in: self.collection) }
        self.transaction.counters.pulled += changed
        return (changed, page.rows.count - changed - outcome.absent(of: page))
    }

    /// Counts how often malformed items arrived.
    ///
    /// - Returns: Whether that is often enough for the cursor to advance, whether any item was not quarantined before, and how
    ///   many were.
    func countMalformed(_ items: [QuarantinedItem]) throws(TidemarkError) -> (mayPass: Bool, isNews: Bool, known: Int) {
        // An item that was quarantined before is not new, however often a full resync or a rolled-back feed returns it.
        let quarantined = Set(items.isEmpty ? [] : try self.store.quarantinedItems(in: self.collection))
        let known = items.count { quarantined.contains($0) }
        let isNews = known < items.count
        let tries = isNews ? try self.transaction.state().malformedTries + 1 : 0
        let isOver = tries >= self.transaction.limits.malformedTries
        try self.transaction.change { $0.malformedTries = isOver ? 0 : tries }
        return (isOver || !isNews, isNews, known)
    }

    /// Quarantines malformed items.
    func quarantine(_ items: [QuarantinedItem]) throws(TidemarkError) {
        for item in items { try self.store.quarantine(item, in: self.collection) }
    }

    /// If the server has two records with the same pk, the first one keeps it; the other is quarantined under its name.
    private func contested(_ row: FeedPage.Row, of page: FeedPage) -> QuarantinedItem {
        let (name, pk) = (page.name(of: row) ?? "", page.pk(of: row))
        return QuarantinedItem(
            pk: name,
            reason:
                "the server may have two records with the pk “\(pk)”, and “\(name)” came second; look at both on the "
                + "server, and if there are two, delete one or give it another pk")
    }

    private func clearQuarantine(_ page: FeedPage, _ outcome: PageOutcome) throws(TidemarkError) {
        let contested = Set(outcome.contested)
        try self.clearQuarantine {
            var listed: Set<CodePointString> = []
            for (index, row) in page.rows.enumerated() where !contested.contains(index) {
                listed.insert(CodePointString(outcome.pks[index] ?? page.pk(of: row)))
                if let name = page.name(of: row) { listed.insert(CodePointString(name)) }
            }
            return listed
        }
    }

    /// Removes items from the quarantine when a valid version of them arrives, as a row or a result (Contract §3.5).
    private func clearQuarantine(_ named: () -> Set<CodePointString>) throws(TidemarkError) {
        let quarantined = try self.store.quarantinedItems(in: self.collection)
        guard !quarantined.isEmpty else { return }
        let named = named()
        for item in quarantined where named.contains(CodePointString(item.pk)) {
            try self.store.clearQuarantine(item.pk, in: self.collection)
        }
    }
}

extension PageOutcome {
    /// The number of rows of the page that are deletions of absent records.
    fileprivate func absent(of page: FeedPage) -> Int {
        guard self.changed.count < page.rows.count else { return 0 }
        let deletions = page.rows.count(where: \.isTombstone)
        guard deletions > 0 else { return 0 }
        return deletions - (self.changed + self.left).count { page.rows[$0].isTombstone }
    }
}

extension UploadResult {
    /// The server's present version of the record; nil if the result has none.
    var version: StoredVersion? {
        switch self.outcome {
        case .accepted(let version), .conflicted(let version): version
        case .refused, .unknown: nil
        }
    }
}

import TidemarkJSON
import TidemarkMachine

// What an answer changes: results first, then rows, then the watermark, in one transaction (SPEC §3.2).

extension SyncEngine {
    /// Applies an answer, and says what is next.
    func apply(
        _ answer: ExchangeAnswer, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> ExchangeEvent {
        if let reason = self.flaw(of: answer) { return self.misunderstood(reason, in: collection) }
        if let event = try self.checkIdentity(of: answer, in: collection) { return event }
        // Where nothing could be sent after all, the request was a GET, whatever it was meant to be.
        let wasPosting = !self.exchange(of: collection).posted.isEmpty
        let page = answer.page.settingAside(pksOver: self.configuration.limits.nameSize)
        self.count(answer, in: collection)
        let results = try self.apply(answer.results, in: collection, &effects)
        try self.clearSuspect(in: collection, &effects)
        var state = try self.store.state(of: collection)
        let changed = try self.apply(page, state, in: collection, &effects)

        let flawOfFeed = self.flawOfFeed(
            answer, after: state, changed: changed, wasPosting: wasPosting, in: collection)
        guard try self.setAside(page.malformed, &state, in: collection) else {
            try self.store.save(state, of: collection)
            return self.misunderstood(
                "An item of the feed makes no sense: \(page.malformed[0].reason).", in: collection)
        }
        if results.mayPassWatermark {
            state.watermark = answer.watermark
            self.pass(answer.watermark, in: collection)
            if state.isListing, !answer.hasMore {
                try self.dropUnlisted(state.listing, in: collection, &effects)
                state.isListing = false
                try self.noteListingEnded(in: collection)
            }
        }
        try self.store.save(state, of: collection)
        if results.unanswered > 0 {
            self.suspect(in: collection)
            return self.misunderstood("The server left \(results.unanswered) edits without a result.", in: collection)
        }
        if let flawOfFeed { return self.misunderstood(flawOfFeed, in: collection) }
        if wasPosting {
            self.noteThatPostWorked(in: collection)
        } else {
            self.noteThatGetWorked(in: collection, isProgress: changed > 0 || !answer.hasMore)
        }
        if try self.hasSomethingToSend(in: collection) {
            // The queue belongs to the account that made it (SPEC §3.1).
            return self.exchange(of: collection).isAccountInDoubt ? .answeredToGet : .answeredToPost
        }
        if answer.hasMore || !results.mayPassWatermark { return .answeredToGet }
        let event = try self.eventAtRest(in: collection)
        if event == .answeredDone { self.noteRest(in: collection) }
        return event
    }

    /// The answer makes no sense. It is never taken for "no rows" (SPEC §3.5).
    private func misunderstood(_ message: String, in collection: String) -> ExchangeEvent {
        self.event(after: RemoteFailure(.protocol, message), in: collection)
    }

    /// Two accounts are never mixed in one store, and two histories never in one watermark.
    private func checkIdentity(
        of answer: ExchangeAnswer, in collection: String
    ) throws(TidemarkError) -> ExchangeEvent? {
        let account = try self.store.setting(Self.accountKey)
        if let account, CodePointString(account) != CodePointString(answer.account) {
            let failure = RemoteFailure(
                .identityChanged,
                "Another account answers behind this URL. The store belongs to \"\(account)\", and nothing was sent or taken: sign in with that account, or use another store."
            )
            return self.event(after: failure, in: collection)
        }
        if account == nil { try self.store.set(Self.accountKey, to: answer.account) }
        var exchange = self.exchange(of: collection)
        if let renewedAfter = exchange.renewedAfter, exchange.token > renewedAfter { exchange.renewedAfter = nil }
        self.keep(exchange, of: collection)

        let key = "\(Self.epochKey)/\(collection)"
        let epoch = try self.store.setting(key)
        guard epoch.map({ CodePointString($0) }) != CodePointString(answer.epoch) else { return nil }
        if epoch != nil {
            let failure = RemoteFailure(
                .historyLost, "The server has begun another history of \(collection).", serverWentBack: true)
            let event = try self.eventAfterLosingHistory(failure, in: collection)
            // A policy that pauses has to find the same when the app goes on.
            guard event == .historyLost else { return event }
            try self.store.set(key, to: answer.epoch)
            return event
        }
        try self.store.set(key, to: answer.epoch)
        return nil
    }
}

// MARK: - Results

extension SyncEngine {
    /// What became of the results of an answer.
    private struct ResultsOutcome {
        /// How many edits got no result that makes sense.
        var unanswered = 0

        /// Whether every row that came as a result was taken in. A row that came so need not come in the feed (W6), so
        /// the watermark must not pass one that was not (I6).
        var mayPassWatermark = true
    }

    private func apply(
        _ results: [UploadResult], in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> ResultsOutcome {
        var outcome = ResultsOutcome()
        var posted = self.exchange(of: collection).posted
        // Where a server postpones all that it was sent, no sending again would end (I8).
        let mayPostpone = results.contains { $0.outcome != .postponed }
        for result in results where mayPostpone || result.outcome != .postponed {
            guard let pk = posted[result.requestID] else { continue }
            posted[result.requestID] = nil
            guard var record = try self.undamaged(pk, in: collection) else {
                outcome.mayPassWatermark = false
                continue
            }
            // The app may have given the upload up meanwhile (R19). Or a row was seen while its fate was unknown, and
            // versions have no order: which of the two is newer, only the feed can say.
            let isAwaited = record.machine.upload?.requestID == result.requestID
            if !isAwaited || record.machine.seen != nil { outcome.mayPassWatermark = false }
            guard isAwaited else { continue }
            let input = self.input(for: result, to: &record)
            let damage = try self.damage { () throws(TidemarkError) in
                let course = try self.drive(&record, input, in: collection, &effects)
                self.note(course, of: pk, in: collection)
            }
            if damage != nil {
                self.leaveOut(pk, of: collection)
                outcome.mayPassWatermark = false
            }
        }
        outcome.unanswered = posted.count
        if !posted.isEmpty { outcome.mayPassWatermark = false }
        var exchange = self.exchange(of: collection)
        exchange.posted = posted
        self.keep(exchange, of: collection)
        return outcome
    }

    private func input(for result: UploadResult, to record: inout Record) -> Machine.Input {
        switch result.outcome {
        case .accepted(let version): return .answered(.accepted(version.state))
        case .conflicted(let version): return .answered(.conflicted(version.state))
        case .postponed: return .lost
        case .refused(let problem):
            record.hold = problem.document.bytes
            record.refusedStatus = problem.status
            return .answered(problem.status == 404 || problem.status == 410 ? .refusedAsMissing : .refused)
        }
    }

    /// Adds to the report what an input ran through.
    private func note(_ course: Course, of pk: String, in collection: String) {
        var exchange = self.exchange(of: collection)
        let accepted: [RecordEvent] = [.accepted, .acceptedEarlier, .acceptedGone]
        let merged: [RecordEvent] = [.rebased, .converged, .recreated, .revived, .adopted, .erased]
        if course.events.contains(where: accepted.contains) {
            exchange.report?.pushed.append(pk)
            exchange.contended[CodePointString(pk)] = nil
        }
        if course.isContended { exchange.postponeIfContended(pk, every: self.configuration.limits.rounds) }
        if course.events.contains(where: merged.contains) { exchange.report?.merged.append(pk) }
        self.keep(exchange, of: collection)
    }
}

// MARK: - Rows

extension SyncEngine {
    /// - Returns: How many rows changed something here.
    private func apply(
        _ page: FeedPage, _ state: CollectionState, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) -> Int {
        guard !page.rows.isEmpty else { return 0 }
        let losses = try self.valuesLost(by: page, state, in: collection)
        let outcome = try self.store.refresh(page, in: collection, listing: state.listing)
        for index in outcome.changed {
            let row = page.rows[index]
            effects.append(
                .tell(
                    Change(
                        collection: collection, pk: page.pk(of: row), origin: .server,
                        phase: row.data.isEmpty ? .absent : .synced)))
        }
        var changed = outcome.changed.count
        var damaged: [(pk: String, damage: TidemarkError)] = []
        for index in outcome.left {
            let row = page.rows[index]
            let damage = try self.damage { () throws(TidemarkError) in
                var record = try self.load(page.pk(of: row), in: collection)
                let before = record.machine
                let course = try self.drive(&record, .listed(page.version(of: row).state), in: collection, &effects)
                if record.machine != before { changed += 1 }
                self.note(course, of: record.pk, in: collection)
            }
            if let damage { damaged.append((page.pk(of: row), damage)) }
        }
        try self.journal(lostByServer: losses, in: collection, &effects)
        try self.clearAside(page, in: collection)
        for (pk, damage) in damaged { try self.setAsideDamaged(pk, in: collection, damage) }
        var exchange = self.exchange(of: collection)
        exchange.report?.pulled += changed
        self.keep(exchange, of: collection)
        return changed
    }

    /// What was not listed from start to end is gone here too (SPEC §6). Nothing unsent is dropped by it, and nothing
    /// that was listed in a form that makes no sense.
    private func dropUnlisted(
        _ listing: Int64, in collection: String, _ effects: inout [Effect]
    ) throws(TidemarkError) {
        let isAfterWentBack = try self.isAfterWentBack(in: collection)
        let aside = Set(try self.store.itemsSetAside(in: collection).map { CodePointString($0.pk) })
        var after: String?
        while true {
            let page = try self.store.unlistedRecords(
                in: collection, listing: listing, after: after, limit: self.configuration.limits.pageSize)
            guard let last = page.last else { return }
            after = last.pk
            for stored in page where !aside.contains(CodePointString(stored.pk)) {
                let damage = try self.damage { () throws(TidemarkError) in
                    let losses = isAfterWentBack ? try self.valuesLost(of: stored, to: nil, in: collection) : []
                    var record = try self.revive(stored, in: collection)
                    try self.drive(&record, .listed(.nothing), in: collection, &effects)
                    try self.journal(lostByServer: losses, in: collection, &effects)
                }
                if let damage { try self.setAsideDamaged(stored.pk, in: collection, damage) }
            }
        }
    }

    /// - Returns: Whether the watermark may go on.
    private func setAside(
        _ items: [ItemSetAside], _ state: inout CollectionState, in collection: String
    ) throws(TidemarkError) -> Bool {
        guard !items.isEmpty else {
            state.malformedTries = 0
            return true
        }
        state.malformedTries += 1
        guard state.malformedTries >= self.configuration.limits.malformedTries else { return false }
        for item in items { try self.store.setAside(item, in: collection) }
        state.malformedTries = 0
        return true
    }

    private func clearAside(_ page: FeedPage, in collection: String) throws(TidemarkError) {
        let aside = try self.store.itemsSetAside(in: collection)
        guard !aside.isEmpty else { return }
        let listed = Set(page.rows.map { CodePointString(page.pk(of: $0)) })
        for item in aside where listed.contains(CodePointString(item.pk)) {
            try self.store.clearAside(item.pk, in: collection)
        }
    }
}

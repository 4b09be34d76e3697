import TidemarkJSON

/// Carries out the edits of one POST inside its transaction, and writes their RESULTs.
///
/// Each edit is decided before any of it is written, so that a refused edit leaves nothing behind (W5), and an edit
/// without room for its result can be left for the next POST.
struct EditBatch {
    /// The RESULTs, in the order of the edits.
    private(set) var results: [[UInt8]] = []
    /// The version of each record that a result has.
    private(set) var answered = AnsweredVersions()
    /// The feed, with the versions that were assigned here.
    private(set) var feed: ServerFeed

    /// The outcomes of the edits.
    private(set) var tally = EditTally()

    private let storage: any ServerStorage
    private let now: Int64
    private let limits: ServerLimits
    /// The sum, over the edits, of the result's bytes or, if larger, the bytes of the row that was read.
    private var weight = 0
    /// The account's remaining quota; nil if it has no quota, or before the first edit that adds something.
    private var quota: AccountQuota?
    /// True once an edit had no room; no later edit may overtake it.
    private var isFull = false

    init(_ storage: any ServerStorage, feed: ServerFeed, now: Int64, limits: ServerLimits) {
        self.storage = storage
        self.feed = feed
        self.now = now
        self.limits = limits
    }

    /// Makes the feed if it does not exist.
    mutating func openFeed(account: String, collection: String) throws(ServerStorageError) {
        self.feed = try self.storage.openFeed(account: account, collection: collection)
    }

    /// Answers one edit: with its earlier answer if it has one (W4), else by deciding and writing.
    mutating func take(_ json: JSON) throws(ServerStorageError) {
        let envelope = EditEnvelope(json, limits: self.limits)
        guard !self.isFull, let step = try self.step(json, envelope) else {
            self.isFull = true
            self.tally.postponed += 1
            let problem = Problem(
                503, .resultsFull,
                "the results before this one fill the answer; the edit was not carried out, send it again unchanged")
            self.results.append(EditResult(envelope, item: nil, isConflicted: false, problem: problem).bytes)
            return
        }
        if let write = step.write {
            try self.save(write, growth: step.growth)
        }
        if let row = step.row {
            self.answered.note(row.pk, at: row.updatedAt)
        }
        if let remembered = step.remembered {
            try self.storage.remember(remembered, at: self.now, in: self.feed)
        }
        switch step.outcome {
        case .accepted: self.tally.accepted += 1
        case .conflicted: self.tally.conflicted += 1
        case .refused: self.tally.refused += 1
        case .repeated: self.tally.repeated += 1
        }
        self.weight += max(step.result.count, step.bytesRead)
        self.results.append(step.result)
    }

    /// The step for one edit; nil if its result has no room.
    private mutating func step(_ json: JSON, _ envelope: EditEnvelope) throws(ServerStorageError) -> EditStep? {
        let remembered = envelope.isNamed ? try self.storage.answer(to: envelope.requestID, in: self.feed) : nil
        let step: EditStep?
        if let remembered {
            step = try EditReplay(remembered, limits: self.limits).step(json, envelope) {
                (pk) throws(ServerStorageError) in try self.storage.row(pk, in: self.feed)
            }
        } else {
            step = try self.newStep(json, envelope)
        }
        guard let step, self.hasRoom(for: step.result.count) else { return nil }
        return step
    }

    private mutating func newStep(_ json: JSON, _ envelope: EditEnvelope) throws(ServerStorageError) -> EditStep? {
        let edit: Edit
        do throws(Problem) {
            edit = try Edit(json, limits: self.limits)
        } catch {
            let step = EditStep(envelope, row: nil, isConflicted: false, problem: error)
            return step.remembering(json, envelope, limits: self.limits)
        }
        let row = try self.storage.row(edit.pk, in: self.feed)
        let bytesRead = row?.data?.count ?? 0
        guard self.hasRoom(for: bytesRead) else { return nil }
        var step: EditStep
        switch EditDecision(edit, row: row, limits: self.limits) {
        case .accepted(let write):
            let growth = AccountGrowth(write, over: row)
            if let problem = try self.refusal(of: growth) {
                step = EditStep(envelope, row: nil, isConflicted: false, problem: problem)
            } else {
                let written = try self.next(write, pk: edit.pk)
                step = EditStep(envelope, row: written, isConflicted: false, problem: nil)
                step.write = written
                step.growth = growth
            }
        case .unchanged: step = EditStep(envelope, row: row, isConflicted: false, problem: nil)
        case .conflicted: step = EditStep(envelope, row: row, isConflicted: true, problem: nil)
        case .refused(let problem): step = EditStep(envelope, row: nil, isConflicted: false, problem: problem)
        }
        step.bytesRead = bytesRead
        return step.remembering(json, envelope, limits: self.limits)
    }

    /// Why the account can't grow by `growth`; nil if it can.
    private mutating func refusal(of growth: AccountGrowth) throws(ServerStorageError) -> Problem? {
        guard growth.isMore, self.limits.rowsOfAccount != nil || self.limits.bytesOfAccount != nil else { return nil }
        if self.quota == nil {
            self.quota = AccountQuota(try self.storage.usage(of: self.feed.account), limits: self.limits)
        }
        return self.quota?.refusal(of: growth)
    }

    /// Whether `count` more bytes fit; the first edit always fits, so that every POST makes progress.
    private func hasRoom(for count: Int) -> Bool {
        self.results.isEmpty || self.weight + count <= self.limits.results
    }

    /// The row under the next version: the clock's, or one more than the last (Contract §5, W3).
    private func next(_ write: EditDecision.Write, pk: String) throws(ServerStorageError) -> ServerRow {
        guard self.feed.last < Int64.max else {
            throw ServerStorageError(
                .corrupt, "the versions of a collection are used up; set the clock and begin a new database")
        }
        let version = max(self.now, self.feed.last + 1)
        return switch write {
        case .create(let data), .replace(let data): ServerRow(pk: pk, updatedAt: version, data: data)
        case .delete: ServerRow(pk: pk, updatedAt: version, data: nil)
        }
    }

    private mutating func save(_ row: ServerRow, growth: AccountGrowth) throws(ServerStorageError) {
        let run = try self.storage.run()
        if self.feed.run != run {
            try self.storage.beginRun(after: self.feed.last, in: self.feed)
            self.feed.run = run
        }
        self.feed.rows += growth.rows
        self.feed.bytes += growth.bytes
        try self.storage.save(row, in: self.feed)
        self.feed.last = row.updatedAt
        self.quota?.add(growth)
    }
}

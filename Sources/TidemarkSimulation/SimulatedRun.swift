import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkWire

/// The run loop of a simulated device, the very one of a client, and what the model knows of it: when its user edited, what it has
/// spent, and what it was told.
final class SimulatedRun {
    /// What the model knows of a collection.
    struct Standing {
        /// When something was edited first that no sync has begun after, or only one that failed.
        var edited: Duration?
        /// The same of the sync that goes on.
        var underWay: Duration?
        /// When the last sync ended.
        var lastEnd: Duration?
        /// How many collections there were then.
        var share = 1
        /// When the next sync is worthwhile, where the last one said so.
        var wait: Duration?
        /// Whether the last sync failed, or broke off.
        var hasFailed = false
        /// Whether the last sync could not even begin, since the store failed: where the app called it, the loop need not know.
        var hasNotBegun = false
        /// Whether the last sync failed without saying when the next one is worthwhile.
        var isPaused: Bool { self.hasFailed && self.wait == nil && !self.isOver }
        /// Whether the time has come at which the next sync is worthwhile.
        var isOver = false
        /// Whether something has happened since a sync began last: an edit, a hint, other credentials, another network.
        var isDisturbed = true
        /// The same also where it has happened before a sync began that waited for its place.
        var wasDisturbed = false
        /// Whether the budget may have been spent since a sync was started last.
        var hasMissed = false
        /// How many syncs in a row only asked, and brought nothing.
        var polls = 0
        /// How far the server says that it is, where that was news.
        var news: String??
        /// Whether credentials were renewed since the last sync began.
        var isRenewed = false
        /// Whether a sync has to begin at once.
        var isOwed = false
    }

    /// What an exchange, or hints, cost.
    struct Cost {
        var time: Duration
        var requests: Int
        var bytes: Int
        /// Whether the clock was set back before it, so that the loop need not know it any more.
        var isForgotten = false
    }

    /// What was heard and is not told yet.
    final class Ear: Sendable {
        private let hints = Mutex<[RemoteHint]>([])

        func hear(_ hint: RemoteHint) { self.hints.withLock { $0.append(hint) } }

        func take() -> [RemoteHint] {
            self.hints.withLock { hints in
                defer { hints = [] }
                return hints
            }
        }
    }

    /// A connection on which the server hints.
    struct Listening {
        var number: Int
        var names: Set<CodePointString>
        var watch: ServerWatch
        /// Which start of the server has opened it.
        var start: Int
        let ear = Ear()
        let reader: HintReader
        /// What was sent and comes later.
        var late: [[UInt8]] = []
        /// Whether nothing comes any more, and nobody has noticed.
        var isDead = false
        var lastBeat: Duration

        init(_ number: Int, _ names: Set<CodePointString>, _ watch: ServerWatch, start: Int, at now: Duration) {
            (self.number, self.names, self.watch, self.start, self.lastBeat) = (number, names, watch, start, now)
            self.reader = HintReader { [ear] in ear.hear($0) }
        }
    }

    let plan: RunPlan
    var loop: RunLoop
    let mailbox = RunMailbox()
    var standings: [String: Standing] = [:]
    var costs: [Cost] = []
    var listening: Listening?
    /// Which listening the device has looked at last.
    var number = 0

    /// Whose sync the loop has started, and whose task has not returned.
    var started: Set<String> = []
    /// Which one it is starting.
    var starting: String?
    /// How many syncs it has started since time began to pass.
    var starts = 0
    /// Whether the loop is being told something.
    var isTold = false
    var connectedAt: Duration?

    init(_ plan: RunPlan, seed: UInt64) {
        self.plan = plan
        self.loop = RunLoop(plan, seed: seed)
    }

    /// The app uses a collection.
    func use(_ collection: String) {
        guard self.standings[collection] == nil else { return }
        self.standings[collection] = Standing()
        self.mailbox.put(.named(CodePointString(collection)))
    }

    /// It does not listen any more.
    func hangUp() {
        self.listening?.watch.end()
        self.listening = nil
    }

    /// Something has happened that concerns all collections.
    func disturb() {
        for name in self.standings.keys { self.disturb(name) }
    }
}

extension SimulatedRun {
    /// Something has happened to a collection after which a sync may begin.
    func disturb(_ collection: String) {
        self.standings[collection]?.isDisturbed = true
        self.standings[collection]?.wasDisturbed = true
    }
}

// MARK: - Syncs

extension SimulatedRun {
    func edit(_ collection: String, _ now: Duration) {
        let name = CodePointString(collection)
        self.mailbox.put(.edited(name, first: now, last: now))
        if self.standings[collection]?.edited == nil { self.standings[collection]?.edited = now }
        self.disturb(collection)
    }

    /// A sync began, whoever asked for it.
    func begin(_ collection: String, _ input: RunInput) {
        self.mailbox.put(input)
        guard var standing = self.standings[collection] else { return }
        standing.underWay = standing.edited
        standing.edited = nil
        standing.news = nil
        standing.wait = nil
        if self.starting != collection { standing.polls = 0 }
        (standing.isDisturbed, standing.wasDisturbed) = (standing.wasDisturbed, false)
        (standing.isRenewed, standing.isOwed) = (false, false)
        self.standings[collection] = standing
    }

    /// A sync ended.
    ///
    /// - Parameters:
    ///   - report: How; nil where the store failed.
    ///   - hasBegun: Whether there was one that could end.
    func end(_ collection: String, _ report: CollectionReport?, hasBegun: Bool, hasUnsent: Bool, _ now: Duration) {
        let name = CodePointString(collection)
        self.mailbox.put(.ended(name, report.map { RunEnd($0, hasUnsent: hasUnsent) } ?? .broken))
        self.leave(collection)
        guard var standing = self.standings[collection] else { return }
        (standing.lastEnd, standing.share) = (now, self.standings.count)
        (standing.wait, standing.isOver) = (report?.nextTry, false)
        standing.hasNotBegun = !hasBegun
        standing.hasFailed = report.map { $0.failure != nil || $0.nextTry != nil } ?? true
        if standing.hasFailed {
            standing.edited = standing.underWay ?? standing.edited
        } else if !hasUnsent {
            standing.edited = nil
        }
        standing.underWay = nil
        if let report, report.pulled > 0 || !report.pushed.isEmpty || !report.merged.isEmpty { standing.polls = 0 }
        // It failed with the former credentials, or with the wait that they had led to.
        if standing.hasFailed, hasBegun, standing.isRenewed { (standing.isOwed, standing.wait) = (true, nil) }
        standing.isRenewed = false
        self.standings[collection] = standing
    }

    /// The task of a sync that the loop started has ended.
    func leave(_ collection: String) {
        if self.started.remove(collection) != nil { self.mailbox.put(.returned(CodePointString(collection))) }
    }

    /// Other credentials.
    func renew(_ awaited: Set<String>) {
        self.mailbox.put(.renewed)
        self.disturb()
        for (name, standing) in self.standings {
            if awaited.contains(name) {
                self.standings[name]?.isRenewed = true
            } else {
                self.standings[name]?.isOwed = standing.hasFailed && !standing.hasNotBegun
                self.standings[name]?.wait = nil
            }
        }
    }
}

// MARK: - The budget

extension SimulatedRun {
    func spend(_ input: RunInput, _ now: Duration) {
        self.mailbox.put(input)
        if case .spent(let requests, let bytes) = input {
            self.costs.append(Cost(time: now, requests: requests, bytes: bytes))
        }
    }

    /// Forgets what counts no more: what was spent an hour ago, and what the clock says is to come since it was set back.
    func forget(at now: Duration) {
        for index in self.costs.indices
        where self.costs[index].time > now || self.costs[index].time <= now - .seconds(59 * 60) {
            self.costs[index].isForgotten = true
        }
        self.costs.removeAll { $0.time <= now - .seconds(26 * 3_600) }
    }

    /// What was waited out is over, whatever the clock says later.
    func forgetWaits(at now: Duration) {
        for (name, standing) in self.standings where standing.wait.map({ $0 <= now }) == true {
            self.standings[name]?.wait = nil
            if standing.hasFailed { self.standings[name]?.isOver = true }
        }
    }

    /// Whether so much is spent of the budget of the last hour, sparing a tenth of it, that the loop has to know it.
    func hasSpent(sparing tenth: Bool, _ now: Duration) -> Bool {
        self.forget(at: now)
        return self.isSpent(self.costs.filter { !$0.isForgotten }, sparing: tenth)
    }

    /// Whether so much may be spent, as far as the loop can know.
    func mayHaveSpent(sparing tenth: Bool, _ now: Duration) -> Bool {
        self.isSpent(self.costs.filter { $0.time > now - .seconds(61 * 60) }, sparing: tenth)
    }

    /// Notes who may have missed something for want of a budget.
    func noteBudget(at now: Duration) {
        guard self.mayHaveSpent(sparing: true, now) else { return }
        for name in self.standings.keys { self.standings[name]?.hasMissed = true }
    }

    private func isSpent(_ costs: [Cost], sparing tenth: Bool) -> Bool {
        func isSpent(_ limit: Int?, _ part: KeyPath<Cost, Int>) -> Bool {
            guard let limit else { return false }
            let reserve = tenth ? max(min((limit + 9) / 10, limit - 1), 0) : 0
            return costs.reduce(0) { $0 + $1[keyPath: part] } >= limit - reserve
        }
        return isSpent(self.plan.requestsPerHour, \.requests) || isSpent(self.plan.bytesPerHour, \.bytes)
    }
}

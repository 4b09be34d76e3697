import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkWire

/// The run loop of a simulated device, which is the same code as in a client, and the model of it: the times of edits, the used
/// budget, and its inputs.
final class SimulatedRunLoop {
    /// The model of a collection.
    struct CollectionModel {
        /// The time of the first edit since the last sync began, or since the last sync that did not fail.
        var edited: Duration?
        /// The time of the first edit that the sync in progress sends.
        var underWay: Duration?
        /// When the last sync ended.
        var lastEnd: Duration?
        /// The number of collections at that time.
        var share = 1
        /// The earliest time of the next sync, if the last sync named it.
        var wait: Duration?
        /// Whether the last sync failed or ended early.
        var hasFailed = false
        /// Whether the last sync could not begin, since the store failed. If the app called it, the loop need not know.
        var hasNotBegun = false
        /// Whether the last sync failed without a time for the next sync.
        var isPaused: Bool { self.hasFailed && self.wait == nil && !self.isOver }
        /// Whether the wait for the next sync is over.
        var isOver = false
        /// Whether an event came since the last sync began: an edit, a change notification, other credentials, another network.
        var isDisturbed = true
        /// Whether an event came since the last sync began, or while that sync waited for its turn.
        var wasDisturbed = false
        /// Whether the budget may have been used up since the last start of a sync.
        var hasMissed = false
        /// How many syncs in a row were polls without news.
        var polls = 0
        /// The cursor that the server announced, if it was news.
        var news: String??
        /// Whether credentials were renewed since the last sync began.
        var isRenewed = false
        /// Whether a sync must begin at once.
        var isOwed = false
    }

    /// The cost of an exchange or of change notifications.
    struct Cost {
        var time: Duration
        var requests: Int
        var bytes: Int
        /// Whether the clock was set back after it, so that the loop may have dropped it.
        var isForgotten = false
    }

    /// The change notifications that the loop has not received yet.
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

    /// A connection for change notifications.
    struct Listening {
        var number: Int
        var names: Set<CodePointString>
        var watch: ServerWatch
        /// The start of the server to which it belongs.
        var start: Int
        let ear = Ear()
        let reader: HintReader
        /// The messages that arrive late.
        var late: [[UInt8]] = []
        /// Whether the connection is dead and the device has not detected it.
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
    var models: [String: CollectionModel] = [:]
    var costs: [Cost] = []
    var listening: Listening?
    /// The number of the connection that the device checked last.
    var number = 0

    /// The collections whose sync the loop has started and whose task has not returned.
    var started: Set<String> = []
    /// The collection whose sync the loop is starting.
    var starting: String?
    /// How many syncs the loop has started since the clock last moved.
    var starts = 0
    /// How often it has lost the connection for change notifications since then. Each loss starts the polls again.
    var losses = 0
    /// Whether the loop is receiving an input.
    var isTold = false
    var connectedAt: Duration?

    init(_ plan: RunPlan, seed: UInt64) {
        self.plan = plan
        self.loop = RunLoop(plan, seed: seed)
    }

    /// The app uses a collection.
    func use(_ collection: String) {
        guard self.models[collection] == nil else { return }
        self.models[collection] = CollectionModel()
        self.mailbox.put(.named(CodePointString(collection)))
    }

    /// Closes the connection for change notifications.
    func hangUp() {
        self.listening?.watch.end()
        self.listening = nil
    }

    /// Marks all collections: an event came.
    func disturb() {
        for name in self.models.keys { self.disturb(name) }
    }
}

extension SimulatedRunLoop {
    /// Marks a collection: an event came after which a sync may begin.
    func disturb(_ collection: String) {
        self.models[collection]?.isDisturbed = true
        self.models[collection]?.wasDisturbed = true
    }
}

// MARK: - Syncs

extension SimulatedRunLoop {
    func edit(_ collection: String, _ now: Duration) {
        let name = CodePointString(collection)
        self.mailbox.put(.edited(name, first: now, last: now))
        if self.models[collection]?.edited == nil { self.models[collection]?.edited = now }
        self.disturb(collection)
    }

    /// A change ceased to wait for another record, so its collection is due at once.
    func release(_ collection: String, _ now: Duration) {
        self.use(collection)
        self.mailbox.put(.edited(CodePointString(collection), first: .zero, last: .zero))
        if self.models[collection]?.edited == nil { self.models[collection]?.edited = now }
        self.disturb(collection)
    }

    /// A sync began, by the loop or by the app.
    func begin(_ collection: String, _ input: RunInput) {
        self.mailbox.put(input)
        guard var model = self.models[collection] else { return }
        model.underWay = model.edited
        model.edited = nil
        model.news = nil
        model.wait = nil
        if self.starting != collection { model.polls = 0 }
        (model.isDisturbed, model.wasDisturbed) = (model.wasDisturbed, false)
        (model.isRenewed, model.isOwed) = (false, false)
        self.models[collection] = model
    }

    /// A sync ended.
    ///
    /// - Parameters:
    ///   - report: The report; nil if the store failed.
    ///   - hasBegun: Whether the sync had begun.
    func end(_ collection: String, _ report: CollectionReport?, hasBegun: Bool, hasUnsent: Bool, _ now: Duration) {
        let name = CodePointString(collection)
        self.mailbox.put(.ended(name, report.map { RunEnd($0, hasUnsent: hasUnsent) } ?? .broken))
        self.leave(collection)
        guard var model = self.models[collection] else { return }
        (model.lastEnd, model.share) = (now, self.models.count)
        (model.wait, model.isOver) = (report?.nextTry, false)
        model.hasNotBegun = !hasBegun
        model.hasFailed = report.map { $0.failure != nil || $0.nextTry != nil } ?? true
        if model.hasFailed {
            model.edited = model.underWay ?? model.edited
        } else if !hasUnsent {
            model.edited = nil
        }
        model.underWay = nil
        if let report, report.pulled > 0 || !report.pushed.isEmpty || !report.merged.isEmpty { model.polls = 0 }
        // The sync failed with the former credentials, or during the wait that followed from them.
        if model.hasFailed, hasBegun, model.isRenewed { (model.isOwed, model.wait) = (true, nil) }
        model.isRenewed = false
        self.models[collection] = model
    }

    /// The task of a sync that the loop started has ended.
    func leave(_ collection: String) {
        if self.started.remove(collection) != nil { self.mailbox.put(.returned(CodePointString(collection))) }
    }

    /// Other credentials.
    func renew(_ awaited: Set<String>) {
        self.mailbox.put(.renewed)
        self.disturb()
        for (name, model) in self.models {
            if awaited.contains(name) {
                self.models[name]?.isRenewed = true
            } else {
                self.models[name]?.isOwed = model.hasFailed && !model.hasNotBegun
                self.models[name]?.wait = nil
            }
        }
    }
}

// MARK: - The budget

extension SimulatedRunLoop {
    func spend(_ input: RunInput, _ now: Duration) {
        self.mailbox.put(input)
        if case .spent(let requests, let bytes) = input {
            self.costs.append(Cost(time: now, requests: requests, bytes: bytes))
        }
    }

    /// Marks costs that no longer count: those of an hour ago, and those in the future of a clock that was set back.
    func forget(at now: Duration) {
        for index in self.costs.indices
        where self.costs[index].time > now || self.costs[index].time <= now - .seconds(59 * 60) {
            self.costs[index].isForgotten = true
        }
        self.costs.removeAll { $0.time <= now - .seconds(26 * 3_600) }
    }

    /// Ends the waits that are over, so that a clock that is set back later does not renew them.
    func forgetWaits(at now: Duration) {
        for (name, model) in self.models where model.wait.map({ $0 <= now }) == true {
            self.models[name]?.wait = nil
            if model.hasFailed { self.models[name]?.isOver = true }
        }
    }

    /// The clock was set back. The loop moves its waits, as far as it can know since when: their ends are unknown here until the
    /// next report.
    func forgetAllWaits() {
        for name in Array(self.models.keys) { self.models[name]?.wait = nil }
    }

    /// Whether the budget of the last hour, with or without a reserve of a tenth, is certainly used up.
    func hasSpent(sparing tenth: Bool, _ now: Duration) -> Bool {
        self.forget(at: now)
        return self.isSpent(self.costs.filter { !$0.isForgotten }, sparing: tenth)
    }

    /// Whether the budget may be used up, as far as the loop can know.
    func mayHaveSpent(sparing tenth: Bool, _ now: Duration) -> Bool {
        self.isSpent(self.costs.filter { $0.time > now - .seconds(61 * 60) }, sparing: tenth)
    }

    /// Marks the collections that may have missed a sync for lack of budget.
    func noteBudget(at now: Duration) {
        guard self.mayHaveSpent(sparing: true, now) else { return }
        for name in self.models.keys { self.models[name]?.hasMissed = true }
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

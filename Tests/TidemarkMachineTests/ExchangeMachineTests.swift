import Testing
public import TidemarkMachine

extension FailureClass: ExchangeFailure {
    @usableFromInline package var failureClass: FailureClass { self }

    @usableFromInline package var serverRolledBack: Bool { self == .historyLost }
}

/// An input with all that the machine has to know about it.
enum ExchangeInput {
    typealias Machine = ExchangeMachine<Int, FailureClass>

    /// The work that is left, with the records whose edits can be sent.
    struct Work {
        var outlook: Machine.Outlook
        var records: [Int]

        init(_ outlook: Machine.Outlook, records: [Int] = []) {
            (self.outlook, self.records) = (outlook, records)
        }

        init(hasEdits: Bool, isAtEnd: Bool = false, waiting: FailureClass? = nil, throttling: FailureClass? = nil) {
            self.init(.init(hasEdits: hasEdits, isAtEnd: isAtEnd, waiting: waiting, throttling: throttling))
        }
    }

    case requested(Work)
    case next(Work)
    case answered(Machine.Page?)
    case failed(Machine.Failed, Machine.Verdict)
    case renewed
    case storeFailed
}

extension ExchangeMachine where Name == Int, Failure == FailureClass {
    /// Handles an input as its owner does.
    mutating func handle(_ input: ExchangeInput, _ limits: ExchangeLimits) -> Step {
        switch input {
        case .requested(let work): self.receive(self.dueOnRequest(work.outlook), posting: work.posted, limits)
        case .next(let work): self.receive(self.dueAfterAnswer(work.outlook), posting: work.posted, limits)
        case .answered(let page): self.receive(.answered(page), limits)
        case .failed(let failed, let verdict): self.receive(self.diagnose(failed, limits), verdict, limits)
        case .renewed: self.receive(.renewed, limits)
        case .storeFailed: self.receive(.storeFailed, limits)
        }
    }
}

extension ExchangeInput.Work {
    fileprivate var posted: [ExchangeInput.Machine.Posted] {
        self.records.map { .init(requestID: "r\($0)", name: $0) }
    }
}

extension ExchangeMachine.Step {
    /// The end of the sync; nil if it continues.
    var ending: ExchangeMachine.Ending? {
        for case .finish(let ending) in self.work { return ending }
        return nil
    }

    /// The record whose failure alone is counted, with its failure.
    var suspect: (name: Name, failure: Failure?)? {
        for case .countPoisonFailure(let name, let failure) in self.work { return (name, failure) }
        return nil
    }

    var backOff: ExchangeMachine.BackOff? {
        for case .backOff(let backOff) in self.work { return backOff }
        return nil
    }
}

/// The machine of the exchange alone: records and cursors are numbers, and a failure is its class.
@Suite struct ExchangeMachineTests {
    typealias Machine = ExchangeMachine<Int, FailureClass>

    static let limits = ExchangeLimits(
        batchSize: 100, pageSize: 500, emptyPages: 3, knownRows: 2, unansweredPosts: 5, fullResyncs: 3,
        oversizedAnswers: 3, rounds: 5,
        poisonFailures: 3)

    /// A machine that is posting edits of these records.
    func posting(_ names: [Int], _ machine: Machine = Machine()) -> Machine {
        var machine = machine
        let step = machine.handle(.requested(self.outlook(sending: names)), Self.limits)
        #expect(step.actions.contains(.post))
        return machine
    }

    func getting(_ machine: Machine = Machine(), from cursor: Int? = 0, seen: Int? = nil) -> Machine {
        var machine = machine
        let step = machine.handle(.requested(.init(hasEdits: false)), Self.limits)
        #expect(step.actions.contains(.get))
        machine.request.cursors = Machine.Cursors(cursor: cursor, seen: seen)
        return machine
    }

    func outlook(sending names: [Int], isAtEnd: Bool = false) -> ExchangeInput.Work {
        .init(.init(hasEdits: true, isAtEnd: isAtEnd), records: names)
    }

    func page(
        to cursor: Int, hasMore: Bool = false, startsOver: Bool = false,
        isResyncing: Bool = false, hasRows: Bool = true, isNews: Bool = true, knownRows: Int = 0, records: Int? = nil,
        isWhole: Bool = true
    ) -> ExchangeInput {
        .answered(
            Machine.Page(
                cursor: cursor, hasMore: hasMore, startsOver: startsOver, isResyncing: isResyncing,
                hasRows: hasRows, isNews: isNews, knownRows: knownRows, records: records, isWhole: isWhole))
    }

    /// A failure with its verdict: the default course, or the given one.
    func failure(
        _ failure: FailureClass, _ blame: FailureBlame = .unknown, _ course: FailureDisposition = .retry
    ) -> ExchangeInput {
        .failed(.init(failure, blame), .init(failure, course))
    }

    @Test func `a refusal of the newest cursor alone means that the server was rolled back (W8)`() {
        func diagnosis(_ cursor: Int?, _ seen: Int?, isOtherEpoch: Bool = false) -> Machine.Diagnosis {
            self.getting(from: cursor, seen: seen)
                .diagnose(.init(.historyLost, isOtherEpoch: isOtherEpoch), Self.limits).diagnosis
        }
        #expect(diagnosis(nil, 2) == .rollback)
        #expect(diagnosis(1, 2) == .itself && diagnosis(1, nil) == .itself)
        #expect(diagnosis(nil, nil) == .noHistory)
        #expect(diagnosis(nil, nil, isOtherEpoch: true) == .itself, "the answer itself shows the other history")
        #expect(diagnosis(nil, 2, isOtherEpoch: true) == .itself)
    }

    /// The feed; the cursors of the next request.
    @Test(arguments: [
        (Machine.KnownFeed(), Machine.Cursors()),
        (.init(cursor: 1), .init(cursor: 1)),
        (.init(cursor: 1, seen: 1), .init(cursor: 1)),
        (.init(cursor: 1, seen: 2), .init(cursor: 1, seen: 2)),
        (.init(seen: 2), .init(seen: 2)),
        (.init(cursor: 1, isRolledBack: true), .init(cursor: 1)),
        (.init(cursor: 1, startsOver: true), .init(seen: 1)),
        (.init(cursor: 1, seen: 2, startsOver: true), .init(seen: 2)),
        (.init(cursor: 1, seen: 2, startsOver: true, isRolledBack: true), .init()),
        (.init(cursor: 1, startsOver: true, judgesSeen: false), .init()),
    ])
    func `a request names the cursor, and the newest cursor if the server can know it (W8)`(
        feed: Machine.KnownFeed, cursors: Machine.Cursors
    ) {
        #expect(feed.cursors == cursors)
    }

    // MARK: The account and the history

    /// What an answer or failure names, what the store has, and whose it is.
    @Test(arguments: [
        (Machine.Identity(account: 1, epoch: 7), Machine.Identity(), Machine.Origin.ours),
        (.init(account: 1, epoch: 7), .init(account: 1), .ours),
        (.init(account: 1, epoch: 7), .init(account: 1, epoch: 7), .ours),
        (.init(account: 1, epoch: 8), .init(account: 1, epoch: 7), .otherHistory),
        (.init(account: 2, epoch: 7), .init(account: 1, epoch: 7), .otherAccount),
        (.init(account: 2, epoch: 8), .init(account: 1, epoch: 7), .otherAccount),
        (.init(account: 2), .init(account: 1), .otherAccount),
        (.init(account: 2), .init(), .ours),
        (.init(), .init(account: 1, epoch: 7), .ours),
    ])
    func `a store never mixes two accounts, nor a cursor two histories (W8)`(
        named: Machine.Identity, store: Machine.Identity, origin: Machine.Origin
    ) {
        #expect(named.origin(in: store) == origin)
    }

    @Test(arguments: [nil, 1], [true, false])
    func `only the first page of a full resync may be of another history (Contract §6)`(cursor: Int?, startsOver: Bool)
    {
        #expect(self.getting(from: cursor).isFirstPage(startsOver: startsOver) == (cursor == nil && startsOver))
    }

    // MARK: The cursor

    @Test func `the cursor advances only past a page that is applied as a whole (I6)`() {
        for isWhole in [true, false] {
            var machine = self.posting([1])
            machine.request.settle("r1")
            let step = machine.handle(self.page(to: 2, isWhole: isWhole), Self.limits)
            #expect(step.actions.contains(.advanceCursor) == isWhole)
            let next = machine.handle(.next(.init(hasEdits: false, isAtEnd: isWhole)), Self.limits)
            #expect(next.target == (isWhole ? .idle : .getting))
        }
    }

    @Test func `a pause for a lost history is followed by a read before any POST (I1)`() {
        for course in [FailureDisposition.pause, .retry] {
            var machine = self.getting()
            _ = machine.handle(self.failure(.historyLost, .unknown, course), Self.limits)
            #expect(machine.memory.readsFirst == (course == .pause))
        }
    }

    @Test func `only the last page of a full resync ends it (Contract §6)`() {
        for hasMore in [true, false] {
            var machine = self.getting()
            let step = machine.handle(self.page(to: 2, hasMore: hasMore, isResyncing: true), Self.limits)
            #expect(step.actions.contains(.endResync) == !hasMore)
        }
    }

    @Test func `a feed that stalls, cycles or has only empty pages is not followed (I8)`() {
        func stall(_ machine: inout Machine, _ input: ExchangeInput) -> Machine.FeedStall? {
            machine.handle(input, Self.limits).stall
        }
        var machine = self.getting(from: 7)
        #expect(stall(&machine, self.page(to: 7, hasMore: true)) == .sameCursor)

        machine = self.getting()
        for cursor in [1, 2, 3, 1, 2] {
            #expect(stall(&machine, self.page(to: cursor, hasMore: true)) == nil)
        }
        // The third cursor is the one that is kept.
        #expect(stall(&machine, self.page(to: 3, hasMore: true)) == .circle)

        machine = self.getting()
        for cursor in 1...3 {
            let page = self.page(to: cursor, hasMore: true, hasRows: false, isNews: false)
            #expect(stall(&machine, page) == (cursor < 3 ? nil : .emptyPages(3)))
        }

        machine = self.getting()
        for cursor in 1...4 {
            let page = self.page(to: cursor, hasMore: true, startsOver: true)
            #expect(stall(&machine, page) == (cursor < 4 ? nil : .restarts))
        }
    }

    /// The stall of a machine that reads pages with one known row each; nil if it follows all of them.
    private func known(_ pages: ClosedRange<Int>, of machine: inout Machine, records: Int) -> Machine.FeedStall? {
        for cursor in pages {
            let isCounted = machine.needsRecordCount(knownRows: 1, Self.limits)
            let page = self.page(
                to: cursor, hasMore: true, isNews: false, knownRows: 1,
                records: isCounted ? records : nil)
            if let stall = machine.handle(page, Self.limits).stall { return stall }
        }
        return nil
    }

    @Test func `a feed of known rows is followed up to the record count plus a limit (I8)`() {
        var machine = self.getting()
        #expect(self.known(1...5, of: &machine, records: 3) == nil)
        #expect(self.known(6...6, of: &machine, records: 3) == .knownRows(6, records: 3))
    }

    @Test func `records are not counted until known rows exceed the limit (Contract §9)`() {
        var machine = self.getting()
        for cursor in 1...2 {
            #expect(!machine.needsRecordCount(knownRows: 1, Self.limits))
            #expect(self.known(cursor...cursor, of: &machine, records: 3) == nil)
        }
        #expect(machine.needsRecordCount(knownRows: 1, Self.limits))
        #expect(self.known(3...3, of: &machine, records: 3) == nil)
        #expect(!machine.needsRecordCount(knownRows: 2, Self.limits), "the last count allows as many")
    }

    @Test func `the page of a POST adds no known rows, and needs no count of the records (I8)`() {
        var machine = self.posting([1])
        #expect(!machine.needsRecordCount(knownRows: 100, Self.limits))
        let page = self.page(to: 1, hasMore: true, isNews: false, knownRows: 100)
        #expect(machine.handle(page, Self.limits).stall == nil)
        #expect(machine.handle(.next(.init(.init(hasEdits: false), records: [])), Self.limits).actions.contains(.get))
        #expect(self.known(2...6, of: &machine, records: 3) == nil)
        #expect(self.known(7...7, of: &machine, records: 3) == .knownRows(6, records: 3))
    }

    @Test func `a POST reads rows again from before the end of the feed (I8)`() {
        var machine = self.posting([1, 2, 3])
        for (cursor, hasMore) in [(7, true), (8, false), (7, true), (8, false), (7, true)] {
            let page = self.page(to: cursor, hasMore: hasMore, isNews: false, knownRows: 1)
            #expect(machine.handle(page, Self.limits).stall == nil)
            let next = machine.handle(.next(self.outlook(sending: [1, 2, 3])), Self.limits)
            #expect(next.actions.contains(.post))
        }
    }

    @Test func `a GET may return a cursor that was passed before a POST went back (I8)`() {
        var machine = self.getting()
        #expect(machine.handle(self.page(to: 1, hasMore: true), Self.limits).stall == nil)
        #expect(machine.handle(.next(self.outlook(sending: [1])), Self.limits).actions.contains(.post))
        #expect(machine.handle(self.page(to: 0, hasMore: true), Self.limits).stall == nil)
        #expect(machine.handle(.next(.init(.init(hasEdits: false), records: [])), Self.limits).actions.contains(.get))
        #expect(machine.handle(self.page(to: 1, hasMore: true), Self.limits).stall == nil)
    }

    @Test func `a GET may return a cursor that was passed before the end of the feed (I8)`() {
        var machine = self.getting()
        for cursor in [1, 2, 3] {
            #expect(machine.handle(self.page(to: cursor, hasMore: true), Self.limits).stall == nil)
        }
        _ = machine.handle(self.page(to: 4), Self.limits)
        // A POST from there reads rows again from before the end.
        #expect(machine.handle(.next(self.outlook(sending: [1])), Self.limits).actions.contains(.post))
        #expect(machine.handle(self.page(to: 2, hasMore: true), Self.limits).stall == nil)
        #expect(machine.handle(.next(.init(.init(hasEdits: false), records: [])), Self.limits).actions.contains(.get))
        #expect(machine.handle(self.page(to: 3, hasMore: true), Self.limits).stall == nil)
    }

    @Test func `the end of the feed resets the count of known rows (I8)`() {
        var machine = self.getting()
        #expect(self.known(1...5, of: &machine, records: 3) == nil)
        _ = machine.handle(self.page(to: 6, isNews: false), Self.limits)
        #expect(self.known(7...11, of: &machine, records: 3) == nil)
    }

    // MARK: Requests of callers

    @Test func `a request during a pause makes one try if credentials may be valid (Contract §3.5)`() {
        for (failure, event) in [
            (FailureClass.auth, ExchangeEvent.retryAuth), (.identityChanged, .requestedWhilePaused),
        ] {
            var machine = self.getting()
            _ = machine.handle(self.failure(failure, .unknown, .pause), Self.limits)
            #expect(machine.failure == failure)
            let step = machine.handle(.requested(self.outlook(sending: [1])), Self.limits)
            #expect(step.event == event)
            #expect(step.failure == failure, "the caller gets the reason of the pause")
        }
    }

    @Test func `a sync request joins a running sync; without selected edits a GET is sent`() {
        var machine = self.posting([1])
        #expect(machine.handle(.requested(.init(hasEdits: false)), Self.limits).event == .joined)
        #expect(machine.request.posted.map(\.name) == [1])
        machine = Machine()
        #expect(machine.dueOnRequest(.init(hasEdits: true)).isPost)
        #expect(machine.handle(.requested(.init(hasEdits: true)), Self.limits).actions == .get)
    }

    // MARK: The end of a sync

    @Test(arguments: [
        (FailureClass.auth, FailureDisposition.pause, SyncEnd.unauthorized), (.auth, .retry, .unreachable),
        (.identityChanged, .pause, .unauthorized), (.identityChanged, .retry, .unreachable),
        (.notFound, .pause, .notFound), (.notFound, .retry, .notFound),
        (.historyLost, .pause, .unreachable), (.busy, .pause, .unreachable), (.busy, .retry, .unreachable),
        (.cancelled, .retry, .unreachable),
    ])
    func `a failed sync has its class as its end, whatever is held or open`(
        failure: FailureClass, course: FailureDisposition, end: SyncEnd
    ) {
        var machine = self.getting()
        let step = machine.handle(self.failure(failure, .unknown, course), Self.limits)
        #expect(step.actions.contains(.finish))
        for isFull in [false, true] { #expect(step.ending?.end(hasConflicts: isFull, hasHeld: isFull) == end) }
    }

    @Test(arguments: [
        (true, true, SyncEnd.conflicts), (true, false, .conflicts), (false, true, .held), (false, false, .inSync),
    ])
    func `a sync that did all work ends with open conflicts, held records, or in sync`(
        hasConflicts: Bool, hasHeld: Bool, end: SyncEnd
    ) {
        var machine = self.getting()
        _ = machine.handle(self.page(to: 1), Self.limits)
        let step = machine.handle(.next(.init(hasEdits: false, isAtEnd: true)), Self.limits)
        #expect(step.actions.contains(.finish))
        #expect(step.ending?.end(hasConflicts: hasConflicts, hasHeld: hasHeld) == end)
    }

    @Test func `a sync that waits for later edits or for the server is not in sync`() {
        for next in [
            ExchangeInput.Work(hasEdits: false, isAtEnd: true, waiting: .refused),
            .init(hasEdits: true, isAtEnd: true, throttling: .busy),
        ] {
            var machine = self.getting()
            _ = machine.handle(self.page(to: 1), Self.limits)
            let step = machine.handle(.next(next), Self.limits)
            #expect(step.actions.contains(.finish))
            #expect(step.ending?.end(hasConflicts: true, hasHeld: true) == .unreachable)
        }
    }

    // MARK: Unconfirmed uploads

    @Test func `a failed POST names its uploads without a result, in posting order (R17)`() {
        var machine = self.posting([3, 1, 2])
        machine.request.settle("r1")
        let step = machine.handle(self.failure(.offline), Self.limits)
        #expect(step.work.first == .markUnconfirmed([3, 2].map { .init(requestID: "r\($0)", name: $0) }))
        #expect(machine.request.posted.isEmpty)
        #expect(machine.memory.readsFirst)
    }

    @Test func `a POST with an answer has not failed, even if its page is invalid`() {
        var machine = self.posting([1])
        machine.request.settle("r1")
        _ = machine.handle(self.failure(.invalidAnswer), Self.limits)
        #expect(!machine.memory.readsFirst)
        #expect(machine.memory.postFailure == nil)
        #expect(machine.memory.failedPosts == 0)
    }

    @Test func `a store failure leaves the exchange waiting, without a request in progress`() {
        var machine = self.posting([1])
        #expect(machine.isAwaiting(1))
        let memory = machine.memory
        #expect(machine.handle(.storeFailed, Self.limits).target == .waiting)
        #expect(machine.request.posted.isEmpty)
        #expect(machine.memory == memory, "the store could not save a change of it")
        #expect(!machine.isAwaiting(1))
    }

    @Test func `a postponed record backs off by its number of refusals (Contract §3.3)`() {
        var machine = self.getting()
        machine.postponed.noteRefusal(of: 1, attempt: 4)
        let step = machine.handle(.next(.init(hasEdits: false, isAtEnd: true, waiting: .refused)), Self.limits)
        #expect(step.actions == [.backOff, .finish])
        #expect(step.failure == .refused)
        #expect(machine.memory.attempts == 4)
        machine = self.getting(machine)
        #expect(machine.postponed.tries.isEmpty, "each sync begins anew")
    }

    @Test(
        arguments: [(FailureClass.historyLost, true), (.historyLost, false), (.busy, true)],
        [FailureDisposition.retry, .pause])
    func `a rollback pauses before the app decides about it, whatever its policy (Contract §6)`(
        rollback: (failure: FailureClass, isAskedAbout: Bool), course: FailureDisposition
    ) {
        let (failure, isAskedAbout) = rollback
        let verdict = Machine.Verdict(failure, course, pausesAtRollback: isAskedAbout)
        let isStopped = failure == .historyLost && isAskedAbout
        #expect(self.getting().course(by: verdict) == (isStopped ? .pause : course))
        var machine = self.getting()
        _ = machine.handle(self.failure(failure, .unknown, .pause), Self.limits)
        _ = machine.handle(.renewed, Self.limits)
        #expect(self.getting(machine).course(by: verdict) == course, "the app has resumed it")
    }

    /// A machine that reads after the app resumed it at a rollback.
    private func resumed() -> Machine {
        var machine = self.getting()
        _ = machine.handle(self.failure(.historyLost, .unknown, .pause), Self.limits)
        _ = machine.handle(.renewed, Self.limits)
        return self.getting(machine)
    }

    @Test(arguments: [true, false])
    func `the app decides about each rollback (Contract §6)`(isResync: Bool) {
        let rollback = Machine.Verdict(.historyLost, .retry, pausesAtRollback: true)
        var machine = self.resumed()
        _ = machine.handle(self.page(to: 1, isResyncing: isResync), Self.limits)
        #expect(machine.course(by: rollback) == (isResync ? .pause : .retry))
        _ = machine.handle(.next(.init(hasEdits: false, isAtEnd: true)), Self.limits)
        #expect(self.getting(machine).course(by: rollback) == .pause)
    }

    @Test(arguments: [FailureClass.busy, .cancelled])
    func `a failed sync does not end the app's decision about a rollback (Contract §6)`(failure: FailureClass) {
        var machine = self.resumed()
        _ = machine.handle(self.failure(failure), Self.limits)
        let rollback = Machine.Verdict(.historyLost, .retry, pausesAtRollback: true)
        #expect(self.getting(machine).course(by: rollback) == .retry)
    }

    @Test func `only a failure of credentials that were renewed since is ignored (Contract §3.5)`() {
        func diagnosis(_ machine: Machine) -> Machine.Diagnosis {
            machine.diagnose(.init(.auth), Self.limits).diagnosis
        }
        var machine = self.getting()
        #expect(diagnosis(machine) == .itself)
        _ = machine.handle(.renewed, Self.limits)
        #expect(diagnosis(machine) == .staleCredentials)
        _ = machine.handle(self.failure(.cancelled), Self.limits)
        #expect(diagnosis(self.getting(machine)) == .itself)
    }

    @Test func `no edit goes out before an answer to the new credentials (W8)`() {
        var machine = self.getting()
        _ = machine.handle(.renewed, Self.limits)
        _ = machine.handle(self.page(to: 1), Self.limits)
        #expect(machine.memory.isAccountUnconfirmed, "that request went out before")
        let next = self.outlook(sending: [1], isAtEnd: true)
        #expect(machine.handle(.next(next), Self.limits).event == .dueToGet)
        _ = machine.handle(self.page(to: 2), Self.limits)
        #expect(!machine.memory.isAccountUnconfirmed)
        #expect(machine.handle(.next(next), Self.limits).event == .dueToPost)
    }
}

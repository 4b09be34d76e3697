import Testing
import TidemarkMachine

/// The machine of the run loop alone: its phases and its timer.
@Suite struct RunMachineTests {
    private static let plan = RunPlan()

    /// A machine whose last sync ended at a time.
    private func inSync(at time: Duration, isWatched: Bool = false, _ plan: RunPlan = Self.plan) -> RunMachine {
        var machine = self.syncing(at: time, plan)
        _ = machine.watch(isWatched, RunMoment(now: time))
        _ = machine.end(.done(hasNews: true, hasUnsent: false), RunMoment(now: time))
        return machine
    }

    private func syncing(at time: Duration, _ plan: RunPlan = Self.plan) -> RunMachine {
        var machine = RunMachine(plan)
        _ = machine.begin(RunMoment(now: time))
        _ = machine.wake(at: time)
        return machine
    }

    @Test func `the run loop syncs at once when it begins`() {
        var machine = RunMachine(Self.plan)
        #expect(machine.begin(RunMoment(now: .seconds(7))).target == .due)
        #expect(machine.alarm == .seconds(7))
        #expect(machine.wake(at: .seconds(7)).actions.has(.sync))
    }

    // MARK: Edits

    @Test func `an edit is sent half a second after the last one (Contract §10)`() {
        var machine = self.inSync(at: .zero)
        _ = machine.edit(RunMoment(now: .seconds(10)))
        #expect(machine.alarm == .seconds(10.5))
        _ = machine.edit(RunMoment(now: .seconds(10.4)))
        #expect(machine.alarm == .seconds(10.9))
    }

    @Test func `edits without a pause are sent five seconds after the first one (Contract §10)`() {
        var machine = self.inSync(at: .zero)
        for tenth in 0..<50 { _ = machine.edit(RunMoment(now: .seconds(10) + .milliseconds(100 * tenth))) }
        #expect(machine.alarm == .seconds(15))
    }

    @Test func `an edit that was too late for a sync is sent after its own debounce`() {
        var machine = self.syncing(at: .zero)
        _ = machine.edit(RunMoment(now: .seconds(3)))
        #expect(machine.alarm == nil)
        let step = machine.end(.done(hasNews: true, hasUnsent: true), RunMoment(now: .seconds(3.1)))
        #expect(step.event == .endedWithMore)
        #expect(machine.alarm == .seconds(3.5))
    }

    @Test func `an edit that a running sync includes starts no other sync`() {
        var machine = self.syncing(at: .zero)
        _ = machine.edit(RunMoment(now: .seconds(1)))
        #expect(machine.end(.done(hasNews: true, hasUnsent: false), RunMoment(now: .seconds(2))).target == .polling)
    }

    @Test func `unsent edits without a new edit wait for the next sync (I8)`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.end(.done(hasNews: false, hasUnsent: true), RunMoment(now: .zero)).target == .polling)
    }

    // MARK: Polling and hints

    @Test
    func `the polling interval doubles from 15 s to ten requests an hour (Contract §10)`() {
        var machine = self.inSync(at: .zero)
        var intervals: [Duration] = []
        for _ in 0..<7 {
            guard let alarm = machine.alarm else { break }
            _ = machine.wake(at: alarm)
            _ = machine.end(.done(hasNews: false, hasUnsent: false), RunMoment(now: .zero))
            intervals.append(alarm)
        }
        #expect(intervals == [15, 30, 60, 120, 240, 360, 360].map { .seconds($0) })
    }

    @Test func `the polling interval ends at 5 min for twelve requests an hour (Contract §10)`() {
        var plan = RunPlan()
        plan.idleRequestsPerHour = 12
        var machine = self.inSync(at: .zero, plan)
        for _ in 0..<7 {
            _ = machine.wake(at: .seconds(1_000))
            _ = machine.end(.done(hasNews: false, hasUnsent: false), RunMoment(now: .zero))
        }
        #expect(machine.alarm == .seconds(300))
    }

    @Test func `several collections share the idle requests per hour`() {
        var machine = self.inSync(at: .zero)
        for _ in 0..<9 {
            _ = machine.wake(at: .seconds(10_000))
            _ = machine.end(.done(hasNews: false, hasUnsent: false), RunMoment(now: .zero, collections: 5))
        }
        #expect(machine.alarm == .seconds(1_800))
    }

    @Test(arguments: [0.0, 0.5, 1.0])
    func `jitter makes a wait longer by a tenth at most, and never shorter`(chance: Double) throws {
        var machine = self.syncing(at: .zero)
        _ = machine.end(.done(hasNews: true, hasUnsent: false), RunMoment(now: .zero, chance: chance))
        let alarm = try #require(machine.alarm)
        #expect(alarm >= .seconds(15) && alarm <= .seconds(16.5))
    }

    @Test func `a listening loop does not poll and follows a hint at once (Contract §10)`() {
        var machine = self.inSync(at: .zero, isWatched: true)
        #expect(machine.phase == .listening)
        #expect(machine.alarm == nil)
        _ = machine.hint(isNews: false, RunMoment(now: .seconds(5)))
        #expect(machine.alarm == nil)
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(6)))
        #expect(machine.alarm == .seconds(6))
        #expect(machine.wake(at: .seconds(6)).actions.has(.sync))
    }

    @Test func `a hint during a sync starts another sync after it`() {
        var machine = self.syncing(at: .zero)
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(1)))
        #expect(machine.end(.done(hasNews: true, hasUnsent: false), RunMoment(now: .seconds(2))).target == .due)
        #expect(machine.alarm == .seconds(2))
    }

    @Test func `a hint waits for the pace of the budget, and a second hint waits no longer`() {
        var machine = self.inSync(at: .zero, isWatched: true)
        _ = machine.hint(isNews: true, askingAt: .seconds(9), RunMoment(now: .seconds(6)))
        #expect(machine.alarm == .seconds(9))
        _ = machine.hint(isNews: true, askingAt: .seconds(12), RunMoment(now: .seconds(8)))
        #expect(machine.alarm == .seconds(9))
        _ = machine.hint(isNews: true, askingAt: .seconds(3), RunMoment(now: .seconds(8)))
        #expect(machine.alarm == .seconds(8))
    }

    @Test func `own edits go out after 0.5 s while a hint waits for the pace of the budget`() {
        var machine = self.inSync(at: .zero, isWatched: true)
        _ = machine.hint(isNews: true, askingAt: .seconds(100), RunMoment(now: .seconds(6)))
        _ = machine.edit(RunMoment(now: .seconds(7)))
        #expect(machine.alarm == .seconds(7.5))
        _ = machine.edit(RunMoment(now: .seconds(7.4)))
        #expect(machine.alarm == .seconds(7.9))
        _ = machine.wake(at: .seconds(7.9))
        #expect(machine.end(.done(hasNews: true, hasUnsent: false), RunMoment(now: .seconds(8))).target == .listening)
    }

    @Test func `a loop that lost its notifications polls again, first after 15 s`() {
        var machine = self.inSync(at: .zero, isWatched: true)
        #expect(machine.watch(false, RunMoment(now: .seconds(100))).target == .polling)
        #expect(machine.alarm == .seconds(115))
    }

    // MARK: Failures

    @Test func `the loop waits until the time that the exchange named, then syncs (Contract §3.5)`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.end(.later(.seconds(40)), RunMoment(now: .zero)).target == .waiting)
        _ = machine.edit(RunMoment(now: .seconds(10)))
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(11)))
        _ = machine.connect(false, RunMoment(now: .seconds(12)))
        #expect(machine.alarm == nil)
        _ = machine.connect(true, RunMoment(now: .seconds(13)))
        #expect(machine.alarm == .seconds(40))
        #expect(machine.wake(at: .seconds(39)).event == .timerFiredEarly)
        #expect(machine.wake(at: .seconds(40)).actions.has(.sync))
    }

    @Test func `bad credentials are retried after a minute, then less often (Contract §3.5)`() {
        var machine = self.syncing(at: .zero)
        var probes: [Duration] = []
        for _ in 0..<8 {
            #expect(machine.end(.unauthorized, RunMoment(now: .zero)).target == .paused)
            guard let alarm = machine.alarm else { break }
            probes.append(alarm)
            _ = machine.wake(at: alarm)
        }
        #expect(probes == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600].map { .seconds($0) })
    }

    @Test func `renewed credentials are tried at once (Contract §3.5)`() {
        var machine = self.syncing(at: .zero)
        _ = machine.end(.unauthorized, RunMoment(now: .zero))
        #expect(machine.renew(RunMoment(now: .seconds(5))).target == .due)
        #expect(machine.alarm == .seconds(5))
    }

    @Test func `credentials renewed during a request are tried at once (Contract §3.5)`() {
        var machine = self.syncing(at: .zero)
        _ = machine.renew(RunMoment(now: .seconds(1)))
        #expect(machine.end(.unauthorized, RunMoment(now: .seconds(2))).target == .due)
        #expect(machine.alarm == .seconds(2))
    }

    @Test func `a pause that only the app can end is not retried`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.end(.stopped, RunMoment(now: .zero)).target == .paused)
        #expect(machine.alarm == nil)
        #expect(machine.renew(RunMoment(now: .seconds(9))).target == .due)
    }

    @Test func `a failing store is retried at the polling interval`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.end(.broken, RunMoment(now: .zero)).target == .waiting)
        #expect(machine.alarm == .seconds(15))
        _ = machine.wake(at: .seconds(15))
        _ = machine.end(.broken, RunMoment(now: .zero))
        #expect(machine.alarm == .seconds(30))
    }

    // MARK: The network and the budget

    @Test func `no sync starts without a network, and a due sync starts at reconnection`() {
        var machine = self.inSync(at: .zero)
        _ = machine.connect(false, RunMoment(now: .seconds(1)))
        _ = machine.edit(RunMoment(now: .seconds(2)))
        #expect(machine.alarm == nil)
        #expect(machine.wake(at: .seconds(3_600)).event == .timerFiredEarly)
        _ = machine.connect(true, RunMoment(now: .seconds(3_700)))
        #expect(machine.alarm == .seconds(3_700))
    }

    @Test func `a reconnected network starts a sync`() {
        var machine = self.inSync(at: .zero, isWatched: true)
        _ = machine.connect(false, RunMoment(now: .seconds(1)))
        #expect(machine.connect(true, RunMoment(now: .seconds(2))).target == .due)
    }

    @Test func `no sync starts without a budget, and a planned sync keeps its time`() {
        var machine = self.inSync(at: .zero)
        #expect(machine.fund(.nothing, RunMoment(now: .seconds(1))).event == .blocked)
        #expect(machine.alarm == nil)
        #expect(machine.fund(.everything, RunMoment(now: .seconds(2))).event == .budgetRenewed)
        #expect(machine.alarm == .seconds(15))
    }

    @Test func `a network that reconnects without a budget starts a sync at the renewal`() {
        var machine = self.inSync(at: .zero, isWatched: true)
        _ = machine.connect(false, RunMoment(now: .seconds(1)))
        _ = machine.fund(.nothing, RunMoment(now: .seconds(2)))
        #expect(machine.connect(true, RunMoment(now: .seconds(3))).event == .asBefore)
        #expect(machine.fund(.everything, RunMoment(now: .seconds(4))).event == .connected)
        #expect(machine.alarm == .seconds(4))
    }

    @Test func `the reserve is spent on own edits only`() {
        var machine = self.inSync(at: .zero)
        _ = machine.fund(.ownEdits, RunMoment(now: .seconds(1)))
        #expect(machine.alarm == nil)
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(2)))
        #expect(machine.phase == .due)
        #expect(machine.alarm == nil)
        _ = machine.edit(RunMoment(now: .seconds(3)))
        #expect(machine.alarm == .seconds(3.5))
    }

    @Test(arguments: [true, false])
    func `a failed sync is retried from the reserve if it had edits`(hasEdits: Bool) {
        var machine = self.inSync(at: .zero, isWatched: true)
        if hasEdits { _ = machine.edit(RunMoment(now: .seconds(1))) }
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(2)))
        _ = machine.wake(at: .seconds(2))
        _ = machine.fund(.ownEdits, RunMoment(now: .seconds(2)))
        _ = machine.end(.later(.seconds(40)), RunMoment(now: .seconds(3)))
        #expect(machine.alarm == (hasEdits ? .seconds(40) : nil))
    }

    // MARK: The app

    @Test func `a sync by the app counts as a sync of the loop`() {
        var machine = self.inSync(at: .zero)
        _ = machine.edit(RunMoment(now: .seconds(1)))
        #expect(machine.join().target == .syncing)
        #expect(machine.alarm == nil)
        #expect(machine.end(.done(hasNews: true, hasUnsent: false), RunMoment(now: .seconds(2))).target == .polling)
        #expect(machine.alarm == .seconds(17))
    }

    @Test func `a sync that the app cancelled is due again in the loop`() {
        var machine = self.inSync(at: .zero)
        _ = machine.join()
        #expect(machine.end(.cancelled, RunMoment(now: .seconds(2))).target == .due)
        #expect(machine.alarm == .seconds(2))
    }

    @Test func `no sync starts after the end of the loop`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.stop().target == .syncing)
        #expect(machine.end(.cancelled, RunMoment(now: .seconds(1))).event == .endedAtLast)
        _ = machine.edit(RunMoment(now: .seconds(2)))
        #expect(machine.alarm == nil)
    }
}

import Testing
import TidemarkMachine

/// The machine of the run loop by itself: the times that it asks for.
@Suite struct RunMachineTests {
    private static let plan = RunPlan()

    /// A machine that was in step at a time.
    private func inStep(at time: Duration, isWatched: Bool = false, _ plan: RunPlan = Self.plan) -> RunMachine {
        var machine = self.syncing(at: time, plan)
        _ = machine.watch(isWatched, RunMoment(now: time))
        _ = machine.end(.done(brought: true, hasUnsent: false), RunMoment(now: time))
        return machine
    }

    private func syncing(at time: Duration, _ plan: RunPlan = Self.plan) -> RunMachine {
        var machine = RunMachine(plan)
        _ = machine.begin(RunMoment(now: time))
        _ = machine.wake(at: time)
        return machine
    }

    @Test func `what happened before the loop began is asked at once`() {
        var machine = RunMachine(Self.plan)
        #expect(machine.begin(RunMoment(now: .seconds(7))).target == .due)
        #expect(machine.alarm == .seconds(7))
        #expect(machine.wake(at: .seconds(7)).actions.has(.sync))
    }

    // MARK: Edits

    @Test func `SPEC 10 an edit is sent half a second after the last one`() {
        var machine = self.inStep(at: .zero)
        _ = machine.edit(RunMoment(now: .seconds(10)))
        #expect(machine.alarm == .seconds(10.5))
        _ = machine.edit(RunMoment(now: .seconds(10.4)))
        #expect(machine.alarm == .seconds(10.9))
    }

    @Test func `SPEC 10 who types without a pause is sent five seconds after the first edit`() {
        var machine = self.inStep(at: .zero)
        for tenth in 0..<50 { _ = machine.edit(RunMoment(now: .seconds(10) + .milliseconds(100 * tenth))) }
        #expect(machine.alarm == .seconds(15))
    }

    @Test func `what was edited while a sync went on, and came too late for it, is sent after its own quiet time`() {
        var machine = self.syncing(at: .zero)
        _ = machine.edit(RunMoment(now: .seconds(3)))
        #expect(machine.alarm == nil)
        let step = machine.end(.done(brought: true, hasUnsent: true), RunMoment(now: .seconds(3.1)))
        #expect(step.event == .endedWithMore)
        #expect(machine.alarm == .seconds(3.5))
    }

    @Test func `what was edited while a sync went on, and went with it, makes no other one`() {
        var machine = self.syncing(at: .zero)
        _ = machine.edit(RunMoment(now: .seconds(1)))
        #expect(machine.end(.done(brought: true, hasUnsent: false), RunMoment(now: .seconds(2))).target == .unwatched)
    }

    @Test func `I8 what is unsent and was not edited is left to the next question`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.end(.done(brought: false, hasUnsent: true), RunMoment(now: .zero)).target == .unwatched)
    }

    // MARK: Asking

    @Test
    func `SPEC 10 the interval doubles from 15 s while nothing comes, until an idle device costs ten requests an hour`()
    {
        var machine = self.inStep(at: .zero)
        var intervals: [Duration] = []
        for _ in 0..<7 {
            guard let alarm = machine.alarm else { break }
            _ = machine.wake(at: alarm)
            _ = machine.end(.done(brought: false, hasUnsent: false), RunMoment(now: .zero))
            intervals.append(alarm)
        }
        #expect(intervals == [15, 30, 60, 120, 240, 360, 360].map { .seconds($0) })
    }

    @Test func `SPEC 10 the interval ends at five minutes where the app allows twelve requests an hour`() {
        var plan = RunPlan()
        plan.idleRequestsPerHour = 12
        var machine = self.inStep(at: .zero, plan)
        for _ in 0..<7 {
            _ = machine.wake(at: .seconds(1_000))
            _ = machine.end(.done(brought: false, hasUnsent: false), RunMoment(now: .zero))
        }
        #expect(machine.alarm == .seconds(300))
    }

    @Test func `several collections share what an idle device may cost`() {
        var machine = self.inStep(at: .zero)
        for _ in 0..<9 {
            _ = machine.wake(at: .seconds(10_000))
            _ = machine.end(.done(brought: false, hasUnsent: false), RunMoment(now: .zero, collections: 5))
        }
        #expect(machine.alarm == .seconds(1_800))
    }

    @Test(arguments: [0.0, 0.5, 1.0])
    func `chance makes a wait longer by a tenth at most, and never shorter`(chance: Double) throws {
        var machine = self.syncing(at: .zero)
        _ = machine.end(.done(brought: true, hasUnsent: false), RunMoment(now: .zero, chance: chance))
        let alarm = try #require(machine.alarm)
        #expect(alarm >= .seconds(15) && alarm <= .seconds(16.5))
    }

    @Test func `SPEC 10 where someone hints nothing is asked, and a hint is followed at once`() {
        var machine = self.inStep(at: .zero, isWatched: true)
        #expect(machine.phase == .resting)
        #expect(machine.alarm == nil)
        _ = machine.hint(isNews: false, RunMoment(now: .seconds(5)))
        #expect(machine.alarm == nil)
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(6)))
        #expect(machine.alarm == .seconds(6))
        #expect(machine.wake(at: .seconds(6)).actions.has(.sync))
    }

    @Test func `a hint during a sync leads to another one`() {
        var machine = self.syncing(at: .zero)
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(1)))
        #expect(machine.end(.done(brought: true, hasUnsent: false), RunMoment(now: .seconds(2))).target == .due)
        #expect(machine.alarm == .seconds(2))
    }

    @Test func `a hint waits for the pace of the budget, and a second one waits no longer`() {
        var machine = self.inStep(at: .zero, isWatched: true)
        _ = machine.hint(isNews: true, askingAt: .seconds(9), RunMoment(now: .seconds(6)))
        #expect(machine.alarm == .seconds(9))
        _ = machine.hint(isNews: true, askingAt: .seconds(12), RunMoment(now: .seconds(8)))
        #expect(machine.alarm == .seconds(9))
        _ = machine.hint(isNews: true, askingAt: .seconds(3), RunMoment(now: .seconds(8)))
        #expect(machine.alarm == .seconds(8))
    }

    @Test func `own edits go out half a second later, though a hint waits for the pace of the budget`() {
        var machine = self.inStep(at: .zero, isWatched: true)
        _ = machine.hint(isNews: true, askingAt: .seconds(100), RunMoment(now: .seconds(6)))
        _ = machine.edit(RunMoment(now: .seconds(7)))
        #expect(machine.alarm == .seconds(7.5))
        _ = machine.edit(RunMoment(now: .seconds(7.4)))
        #expect(machine.alarm == .seconds(7.9))
        _ = machine.wake(at: .seconds(7.9))
        #expect(machine.end(.done(brought: true, hasUnsent: false), RunMoment(now: .seconds(8))).target == .resting)
    }

    @Test func `when no one hints any more the server is asked again, first after 15 s`() {
        var machine = self.inStep(at: .zero, isWatched: true)
        #expect(machine.watch(false, RunMoment(now: .seconds(100))).target == .unwatched)
        #expect(machine.alarm == .seconds(115))
    }

    // MARK: Failures

    @Test func `SPEC 3.5 the time that the exchange named is kept, and then the server is asked`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.end(.later(.seconds(40)), RunMoment(now: .zero)).target == .waiting)
        _ = machine.edit(RunMoment(now: .seconds(10)))
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(11)))
        _ = machine.connect(false, RunMoment(now: .seconds(12)))
        #expect(machine.alarm == nil)
        _ = machine.connect(true, RunMoment(now: .seconds(13)))
        #expect(machine.alarm == .seconds(40))
        #expect(machine.wake(at: .seconds(39)).event == .wokenInVain)
        #expect(machine.wake(at: .seconds(40)).actions.has(.sync))
    }

    @Test func `SPEC 3.5 bad credentials are probed after a minute, and then less and less often`() {
        var machine = self.syncing(at: .zero)
        var probes: [Duration] = []
        for _ in 0..<8 {
            #expect(machine.end(.unauthorised, RunMoment(now: .zero)).target == .paused)
            guard let alarm = machine.alarm else { break }
            probes.append(alarm)
            _ = machine.wake(at: alarm)
        }
        #expect(probes == [60, 120, 240, 480, 960, 1_920, 3_600, 3_600].map { .seconds($0) })
    }

    @Test func `SPEC 3.5 renewed credentials are tried at once`() {
        var machine = self.syncing(at: .zero)
        _ = machine.end(.unauthorised, RunMoment(now: .zero))
        #expect(machine.renew(RunMoment(now: .seconds(5))).target == .due)
        #expect(machine.alarm == .seconds(5))
    }

    @Test func `SPEC 3.5 credentials that were renewed while a request was out are tried at once`() {
        var machine = self.syncing(at: .zero)
        _ = machine.renew(RunMoment(now: .seconds(1)))
        #expect(machine.end(.unauthorised, RunMoment(now: .seconds(2))).target == .due)
        #expect(machine.alarm == .seconds(2))
    }

    @Test func `what only the app can let go on waits for it, and is not probed`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.end(.stopped, RunMoment(now: .zero)).target == .paused)
        #expect(machine.alarm == nil)
        #expect(machine.renew(RunMoment(now: .seconds(9))).target == .due)
    }

    @Test func `a store that fails is tried again as seldom as a server that has nothing`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.end(.broken, RunMoment(now: .zero)).target == .waiting)
        #expect(machine.alarm == .seconds(15))
        _ = machine.wake(at: .seconds(15))
        _ = machine.end(.broken, RunMoment(now: .zero))
        #expect(machine.alarm == .seconds(30))
    }

    // MARK: The network and the budget

    @Test func `without a network nothing starts, and with it what is due starts at once`() {
        var machine = self.inStep(at: .zero)
        _ = machine.connect(false, RunMoment(now: .seconds(1)))
        _ = machine.edit(RunMoment(now: .seconds(2)))
        #expect(machine.alarm == nil)
        #expect(machine.wake(at: .seconds(3_600)).event == .wokenInVain)
        _ = machine.connect(true, RunMoment(now: .seconds(3_700)))
        #expect(machine.alarm == .seconds(3_700))
    }

    @Test func `when the network is there again the server is asked, since no one has seen what happened meanwhile`() {
        var machine = self.inStep(at: .zero, isWatched: true)
        _ = machine.connect(false, RunMoment(now: .seconds(1)))
        #expect(machine.connect(true, RunMoment(now: .seconds(2))).target == .due)
    }

    @Test func `without a budget nothing starts, and what is planned keeps its time`() {
        var machine = self.inStep(at: .zero)
        #expect(machine.fund(.nothing, RunMoment(now: .seconds(1))).event == .blocked)
        #expect(machine.alarm == nil)
        #expect(machine.fund(.everything, RunMoment(now: .seconds(2))).event == .funded)
        #expect(machine.alarm == .seconds(15))
    }

    @Test func `a network that comes back while the budget is spent is used when that is renewed`() {
        var machine = self.inStep(at: .zero, isWatched: true)
        _ = machine.connect(false, RunMoment(now: .seconds(1)))
        _ = machine.fund(.nothing, RunMoment(now: .seconds(2)))
        #expect(machine.connect(true, RunMoment(now: .seconds(3))).event == .asBefore)
        #expect(machine.fund(.everything, RunMoment(now: .seconds(4))).event == .connected)
        #expect(machine.alarm == .seconds(4))
    }

    @Test func `from the reserve only own edits are sent`() {
        var machine = self.inStep(at: .zero)
        _ = machine.fund(.ownEdits, RunMoment(now: .seconds(1)))
        #expect(machine.alarm == nil)
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(2)))
        #expect(machine.phase == .due)
        #expect(machine.alarm == nil)
        _ = machine.edit(RunMoment(now: .seconds(3)))
        #expect(machine.alarm == .seconds(3.5))
    }

    @Test(arguments: [true, false])
    func `from the reserve a sync that failed is tried again when it had edits in it`(hasEdits: Bool) {
        var machine = self.inStep(at: .zero, isWatched: true)
        if hasEdits { _ = machine.edit(RunMoment(now: .seconds(1))) }
        _ = machine.hint(isNews: true, RunMoment(now: .seconds(2)))
        _ = machine.wake(at: .seconds(2))
        _ = machine.fund(.ownEdits, RunMoment(now: .seconds(2)))
        _ = machine.end(.later(.seconds(40)), RunMoment(now: .seconds(3)))
        #expect(machine.alarm == (hasEdits ? .seconds(40) : nil))
    }

    // MARK: The app

    @Test func `a sync of the app's is as good as one of the loop's`() {
        var machine = self.inStep(at: .zero)
        _ = machine.edit(RunMoment(now: .seconds(1)))
        #expect(machine.join().target == .syncing)
        #expect(machine.alarm == nil)
        #expect(machine.end(.done(brought: true, hasUnsent: false), RunMoment(now: .seconds(2))).target == .unwatched)
        #expect(machine.alarm == .seconds(17))
    }

    @Test func `what the app cancelled goes on with the loop`() {
        var machine = self.inStep(at: .zero)
        _ = machine.join()
        #expect(machine.end(.cancelled, RunMoment(now: .seconds(2))).target == .due)
        #expect(machine.alarm == .seconds(2))
    }

    @Test func `after the end of the loop nothing starts`() {
        var machine = self.syncing(at: .zero)
        #expect(machine.stop().actions.has(.cancel))
        #expect(machine.end(.cancelled, RunMoment(now: .seconds(1))).event == .endedAtLast)
        _ = machine.edit(RunMoment(now: .seconds(2)))
        #expect(machine.alarm == nil)
    }
}

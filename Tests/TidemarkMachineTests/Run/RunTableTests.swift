import Testing
import TidemarkMachine

@Suite struct RunTableTests {
    private static let ends = RunEvent.allCases.filter { $0.rawValue.hasPrefix("ended") }

    @Test(arguments: [RunPhase.resting, .unwatched, .due], [RunEvent.edited, .hinted])
    func `SPEC 10 what is to be sent or asked is due`(phase: RunPhase, event: RunEvent) {
        #expect(phase.transition(on: event) == .move(.due, [.wake, .say]))
    }

    @Test(arguments: [RunPhase.waiting, .paused], [RunEvent.edited, .hinted, .connected, .funded])
    func `SPEC 3.5 no edit, hint or network ends a wait that the exchange named`(phase: RunPhase, event: RunEvent) {
        switch phase.transition(on: event) {
        case .stay: break
        case .move(let target, let actions):
            #expect(target == phase)
            #expect(!actions.contains(.sync))
        case .impossible: Issue.record("\(event) can occur while \(phase)")
        }
    }

    @Test(arguments: RunPhase.allCases, RunEvent.allCases)
    func `SPEC 10 a sync starts at a time that was asked for, and never otherwise`(phase: RunPhase, event: RunEvent) {
        guard case .move(let target, let actions) = phase.transition(on: event) else { return }
        #expect(actions.contains(.sync) == (event == .woken))
        if actions.contains(.sync) { #expect(target == .syncing) }
    }

    @Test(arguments: RunPhase.allCases)
    func `there are never two syncs at once`(phase: RunPhase) {
        #expect((phase.transition(on: .woken) == .impossible) == (phase == .syncing || phase == .resting))
        for event in Self.ends {
            #expect((phase.transition(on: event) == .impossible) == (phase != .syncing), "\(event)")
        }
    }

    @Test(arguments: [RunPhase.waiting, .paused])
    func `SPEC 3.5 renewed credentials end a pause, and a wait, at once`(phase: RunPhase) {
        #expect(phase.transition(on: .renewed) == .move(.due, [.wake, .say]))
    }

    @Test func `SPEC 10 who begins to hint says how the server stands, and it is asked no more`() {
        #expect(RunPhase.unwatched.transition(on: .watched) == .move(.resting, [.wake, .say]))
        #expect(RunPhase.resting.transition(on: .deserted) == .move(.unwatched, [.wake, .say]))
    }

    @Test(arguments: RunPhase.allCases)
    func `a hint of what is here already, and a time that no one waits for, change nothing`(phase: RunPhase) {
        #expect(phase.transition(on: .hintedInVain) == .stay)
        #expect(phase.transition(on: .wokenInVain) == .stay)
    }

    @Test(arguments: RunPhase.allCases)
    func `what goes on when the loop ends is cancelled`(phase: RunPhase) {
        guard case .move(_, let actions) = phase.transition(on: .stopped) else {
            Issue.record("the loop can't end while \(phase)")
            return
        }
        #expect(actions.contains(.cancel) == (phase == .syncing))
    }

    @Test(arguments: RunPhase.allCases, RunEvent.allCases)
    func `I7 whatever moves the alarm sets it`(phase: RunPhase, event: RunEvent) {
        guard case .move(let target, let actions) = phase.transition(on: event), target != phase else { return }
        #expect(actions.contains(.wake) || event == .endedAtLast)
        #expect(actions.contains(.say))
    }
}

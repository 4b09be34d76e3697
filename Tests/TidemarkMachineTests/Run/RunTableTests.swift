import Testing
import TidemarkMachine

@Suite struct RunTableTests {
    private static let ends = RunEvent.allCases.filter { $0.rawValue.hasPrefix("ended") }

    @Test(arguments: [RunPhase.listening, .polling, .due], [RunEvent.edited, .hinted])
    func `an edit or a hint makes a sync due (Contract §10)`(phase: RunPhase, event: RunEvent) {
        #expect(phase.transition(on: event) == .move(.due, .publish))
    }

    @Test(arguments: [RunPhase.waiting, .paused], [RunEvent.edited, .hinted, .connected, .budgetRenewed])
    func `an edit, a hint or a network ends no wait of the exchange (Contract §3.5)`(phase: RunPhase, event: RunEvent) {
        switch phase.transition(on: event) {
        case .stay: break
        case .move(let target, let actions):
            #expect(target == phase)
            #expect(!actions.contains(.sync))
        case .impossible: Issue.record("\(event) can occur while \(phase)")
        }
    }

    @Test(arguments: RunPhase.allCases, RunEvent.allCases)
    func `a sync starts only when the timer fires (Contract §10)`(phase: RunPhase, event: RunEvent) {
        guard case .move(let target, let actions) = phase.transition(on: event) else { return }
        #expect(actions.contains(.sync) == (event == .timerFired))
        if actions.contains(.sync) { #expect(target == .syncing) }
    }

    @Test(arguments: RunPhase.allCases)
    func `two syncs never run at once`(phase: RunPhase) {
        #expect((phase.transition(on: .timerFired) == .impossible) == (phase == .syncing || phase == .listening))
        for event in Self.ends {
            #expect((phase.transition(on: event) == .impossible) == (phase != .syncing), "\(event)")
        }
    }

    @Test(arguments: [RunPhase.waiting, .paused])
    func `renewed credentials end a pause or a wait at once (Contract §3.5)`(phase: RunPhase) {
        #expect(phase.transition(on: .renewed) == .move(.due, .publish))
    }

    @Test func `a connected notification stream ends the polling (Contract §10)`() {
        #expect(RunPhase.polling.transition(on: .hintsConnected) == .move(.listening, .publish))
        #expect(RunPhase.listening.transition(on: .hintsLost) == .move(.polling, .publish))
    }

    @Test(arguments: RunPhase.allCases)
    func `a hint of a known change, and a timer that is no longer needed, have no effect`(phase: RunPhase) {
        #expect(phase.transition(on: .hintedKnown) == .stay)
        #expect(phase.transition(on: .timerFiredEarly) == .stay)
    }

    @Test(arguments: RunPhase.allCases)
    func `the end of the loop waits for the end of a sync in progress`(phase: RunPhase) {
        let isSyncing = phase == .syncing
        #expect(phase.transition(on: .stopped) == .move(isSyncing ? .syncing : .polling, isSyncing ? [] : .publish))
    }

    @Test(arguments: RunPhase.allCases, RunEvent.allCases)
    func `every change of the phase is published`(phase: RunPhase, event: RunEvent) {
        guard case .move(let target, let actions) = phase.transition(on: event), target != phase else { return }
        #expect(actions.contains(.publish))
    }
}

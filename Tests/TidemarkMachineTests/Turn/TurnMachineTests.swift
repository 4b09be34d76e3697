import TestSupport
import Testing
import TidemarkMachine

@Suite struct TurnMachineTests {
    private static let limit = TurnMachine.longestRequest

    @Test(arguments: TurnPhase.allCases, TurnEvent.allCases)
    func `a store is released only if it is open, and opened only if it is not`(phase: TurnPhase, event: TurnEvent) {
        let isOpen = phase == .holding || phase == .asked
        guard case .move(let target, let actions) = phase.transition(on: event) else { return }
        let willBeOpen = target == .holding || target == .asked
        #expect(actions.has(.release) == (isOpen && !willBeOpen))
        #expect(actions.has(.refresh) == (!isOpen && willBeOpen))
        #expect(actions.has(.comeBack) == (target == .away))
    }

    @Test(arguments: TurnPhase.allCases)
    func `a client that is closed stays closed, and one that is suspended is opened only by the app`(phase: TurnPhase) {
        #expect(TurnPhase.closed.transition(on: .asked) == .stay)
        #expect(TurnPhase.closed.transition(on: .suspended) == .stay)
        #expect(TurnPhase.suspended.transition(on: .asked) == .stay)
        #expect(TurnPhase.suspended.transition(on: .freed) == .stay)
        #expect(phase.transition(on: .closed) != .impossible)
        #expect(phase.transition(on: .asked) != .impossible, "a request may arrive late")
    }

    @Test func `without a request the store is handed over after the shortest turn`() {
        var turn = TurnMachine(now: .seconds(10))
        #expect(turn.pass(now: .seconds(99), isExchanging: false) == [], "no client asks")
        #expect(turn.ask(now: .seconds(10)) == [])
        #expect(turn.isAsked)
        #expect(turn.pass(now: .seconds(10), isExchanging: false) == [])
        #expect(turn.pass(now: .seconds(10) + TurnMachine.shortestTurn, isExchanging: false) == [.release, .comeBack])
        #expect(turn.phase == .away)
        #expect(turn.open(now: .seconds(11)) == .refresh)
        #expect(turn.phase == .holding)
    }

    @Test func `a request that is under way ends first, but has a limit`() {
        var turn = TurnMachine(now: .zero)
        _ = turn.ask(now: .seconds(5))
        #expect(turn.pass(now: .seconds(5) + Self.limit - .milliseconds(1), isExchanging: true) == [])
        _ = turn.ask(now: .seconds(6))
        #expect(turn.time(isExchanging: true) == .seconds(5) + Self.limit, "it counts from the first one that asks")
        #expect(turn.pass(now: .seconds(5) + Self.limit, isExchanging: true) == [.release, .comeBack])
    }

    @Test func `a client that was asked before it was suspended is asked again after that`() {
        var turn = TurnMachine(now: .zero)
        _ = turn.ask(now: .seconds(1))
        #expect(turn.suspend() == .release)
        #expect(turn.open(now: .seconds(9)) == .refresh)
        #expect(!turn.isAsked)
        #expect(turn.time(isExchanging: false) == nil)
    }

    // MARK: Several clients

    /// A client in a process, whose steps take some time.
    private struct Client {
        var turn = TurnMachine(now: .zero)
        var wants: Duration?
        var exchangesUntil: Duration?
        var leavesUntil = Duration.zero
        var longest = Duration.zero

        init() { _ = self.turn.suspend() }

        var isOpen: Bool { self.turn.phase == .holding || self.turn.phase == .asked }
    }

    @Test func `among four clients, one at a time has the store, and none waits longer than the turns of the others`() {
        for seed in 1...40 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var clients = [Client](repeating: Client(), count: 4)
            for step in 0..<4_000 {
                let now = Duration.milliseconds(10 * Int64(step))
                // The system runs the processes in any order.
                for place in clients.indices.shuffled(using: &generator) {
                    self.run(place, of: &clients, now, &generator)
                    #expect(clients.count(where: \.isOpen) <= 1)
                }
            }
            // Each of the others may have had it for a whole request, and may have been found free first by a third one.
            let longest = clients.map(\.longest).max() ?? .zero
            #expect(longest < SyncClientLimits.opening, "seed \(seed)")
        }
    }

    private func run(_ place: Int, of clients: inout [Client], _ now: Duration, _ generator: inout SeededGenerator) {
        if let end = clients[place].exchangesUntil, end <= now { clients[place].exchangesUntil = nil }
        if clients[place].isOpen {
            clients[place].wants = nil
            if clients[place].exchangesUntil == nil, !clients[place].turn.isAsked,
                Int.random(in: 0..<20, using: &generator) == 0
            {
                clients[place].exchangesUntil = now + .milliseconds(Int64.random(in: 10...3_000, using: &generator))
            }
            let actions = clients[place].turn.pass(now: now, isExchanging: clients[place].exchangesUntil != nil)
            guard actions.has(.release) else { return }
            clients[place].exchangesUntil = nil
            clients[place].leavesUntil = now + TurnMachine.pause
        } else if clients[place].wants == nil {
            if Int.random(in: 0..<30, using: &generator) == 0 { clients[place].wants = now }
        } else if clients[place].leavesUntil <= now {
            guard let holder = clients.firstIndex(where: \.isOpen) else {
                _ = clients[place].turn.open(now: now)
                clients[place].longest = max(clients[place].longest, now - (clients[place].wants ?? now))
                return
            }
            _ = clients[holder].turn.ask(now: now)
        }
    }

    private enum SyncClientLimits {
        static let opening = Duration.seconds(12)
    }
}

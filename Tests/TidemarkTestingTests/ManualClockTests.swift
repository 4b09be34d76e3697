import Testing
import TestSupport
import TidemarkCore
import TidemarkTesting

@Suite(.timeLimit(.minutes(10))) struct `A clock under the test's control` {
    @Test func `a sleeper wakes when the clock reaches its time, and not before`() async throws {
        let clock = ManualClock(.seconds(100))
        let (wakings, continuation) = AsyncStream.makeStream(of: Int.self)
        let sleeper = Task {
            try await clock.sleep(until: .seconds(110))
            continuation.yield(1)
            continuation.finish()
        }
        await eventually("a task sleeps") { !clock.sleepers.isEmpty }
        clock.advance(by: .seconds(9))
        #expect(clock.sleepers == [.seconds(110)])
        clock.advance(by: .seconds(1))
        #expect(clock.sleepers.isEmpty)
        try await sleeper.value
        #expect(await wakings.reduce(0, +) == 1)
    }

    @Test func `a sleeper whose time has passed does not sleep`() async throws {
        let clock = ManualClock(.seconds(100))
        try await clock.sleep(until: .seconds(100))
        try await clock.sleep(until: .zero)
    }

    @Test(arguments: [true, false])
    func `a cancelled sleeper throws, asleep or not yet`(isAsleep: Bool) async throws {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(until: clock.now + .seconds(1)) }
        if isAsleep { await eventually("a task sleeps") { !clock.sleepers.isEmpty } }
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleepers.isEmpty)
    }
}

import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting
import Testing

/// Contract §10: a user may set the clock of the device at any time.
@Suite("A clock is set back while the loop waits", .timeLimit(.minutes(10))) struct ClockSetBackTests {
    /// Why a collection waits.
    static let failures: [RemoteFailure] = [
        .noCable, RemoteFailure(.busy, "Later.", retryAfter: .delay(.seconds(60))),
        RemoteFailure(.auth, "The token is not valid."),
    ]

    @Test(arguments: Self.failures, [-86_400, -40, -1])
    func `a clock that is set back makes no wait longer (Contract §10)`(failure: RemoteFailure, jump: Int) async throws
    {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            stage.remote.fail(failure)
            try await stage.client["notes"].create(["n": 1], pk: "42")
            try await stage.until(.due)
            try await stage.wait()
            let phase = failure.failureClass == .auth ? RunPhase.paused : .waiting
            try await stage.until(phase)
            let next = try #require(try await stage.client.status.run?.collections.first?.next)
            let wait = next - stage.clock.now
            stage.remote.fail(nil)
            stage.clock.advance(by: .seconds(jump))
            // The loop receives an input, so that it sets its timer again.
            try await stage.client["notes"].create(["n": 2], pk: "43")
            try await stage.until { status in
                status.run?.collections.first?.next.map { $0 <= stage.clock.now + wait } ?? false
            }
            stage.clock.advance(by: wait)
            try await stage.until { $0.summary == .inSync }
        }
        #expect(try await stage.served("43") == Array(#"{"n":2}"#.utf8))
    }

    @Test(arguments: [-86_400, -40, -1])
    func `a clock that is set back during a wait does not move its end (Contract §10)`(jump: Int) async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            try await stage.wait()
            try await stage.until(.polling)
            let before = stage.remote.count
            let next = try #require(stage.clock.sleepers.first)
            let wait = next - stage.clock.now
            stage.clock.advance(by: wait / 2)
            stage.clock.advance(by: .seconds(jump))
            stage.clock.advance(by: wait - wait / 2)
            await eventually("the server is polled again") { stage.remote.count > before }
        }
    }
}

import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §10: the run loop keeps a client in sync.
@Suite(.timeLimit(.minutes(10))) struct RunTests {
    @Test func `edits within half a second are sent in one request (Contract §10)`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            let before = stage.remote.count
            try await stage.client["notes"].create(["n": 1], pk: "42")
            for n in 2...5 { try await stage.client["notes"]["42"].edit { $0.n = JSON(n) } }
            try await stage.until(.due)
            #expect(stage.remote.count == before)
            #expect(stage.clock.sleepers == [stage.clock.now + .milliseconds(500)])
            stage.clock.advance(by: .milliseconds(500))
            try await stage.until { $0.unsentCount == 0 }
            #expect(stage.remote.count == before + 1)
        }
        #expect(try await stage.served("42") == Array(#"{"n":5}"#.utf8))
    }

    @Test func `an offline client sends no request, and sends all edits when it is online (Contract §10)`() async throws
    {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            stage.path.yield(false)
            try await stage.until { $0.summary == .offline }
            let before = stage.remote.count
            try await stage.client["notes"].create(["n": 1], pk: "42")
            try await stage.until(.due)
            stage.clock.advance(by: .seconds(3_600))
            #expect(try await stage.client.status.unsentCount == 1)
            #expect(stage.clock.sleepers == [])
            #expect(stage.remote.count == before)
            stage.path.yield(true)
            try await stage.until { $0.summary == .inSync }
            #expect(stage.remote.count == before + 1)
        }
    }

    @Test func `an unreported network failure is retried at the end of the back-off (Contract §10)`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            stage.remote.fail(.noCable)
            try await stage.client["notes"].create(["n": 1], pk: "42")
            try await stage.until(.due)
            try await stage.wait()
            try await stage.until(.waiting)
            let next = try #require(try await stage.client.status.lastReports.first?.nextTry)
            #expect(stage.clock.sleepers == [next])
            stage.remote.fail(nil)
            let before = stage.remote.count
            try await stage.client["notes"].create(["n": 2], pk: "43")
            stage.clock.set(to: next)
            try await stage.until { $0.summary == .inSync }
            #expect(stage.remote.times.dropFirst(before).allSatisfy { $0 >= next })
        }
        #expect(try await stage.served("43") == Array(#"{"n":2}"#.utf8))
    }

    @Test func `the status does not flicker while no server can be reached (Contract §10)`() async throws {
        let stage = try RunStage(collections: ["a", "b", "c"])
        try await stage.running {
            stage.remote.fail(.noCable)
            let begin = stage.clock.now
            var words: [String] = []
            for try await status in stage.client.statuses {
                let word = "\(status.summary)".prefix { $0 != "(" }
                if words.last != String(word) { words.append(String(word)) }
                let isAtRest = status.run?.collections.allSatisfy { $0.phase != .syncing } ?? false
                if isAtRest, stage.clock.now > begin + .seconds(600) { break }
                if isAtRest { try await stage.wait() }
            }
            // The first status may be one of after the first try.
            #expect(words.drop { $0 == "checking" } == ["waiting"])
        }
    }

    @Test func `a device that slept for an hour catches up with one request (Contract §10)`() async throws {
        let stage = try RunStage()
        let other = try RunStage(stage.server, seed: 2)
        try await other.client["notes"].create(["n": 7], pk: "7")
        try await stage.running {
            try await stage.until(.polling)
            _ = try await other.client.sync()
            let before = stage.remote.count
            stage.clock.advance(by: .seconds(3_600))
            try await eventually("7 is here") { try await stage.client["notes"]["7"].get() != nil }
            try await stage.until(.polling)
            #expect(stage.remote.count == before + 1)
        }
    }

    @Test func `a restarted server is found again, and gets all changes (Contract §10)`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            try await stage.wait()
            try await stage.until(.polling)
            let backup = try stage.server.backup()
            stage.remote.fail(.noCable)
            try await stage.client["notes"]["1"].edit { $0.n = 2 }
            try await stage.until(.due)
            for _ in 1...3 {
                try await stage.wait()
                try await stage.until(.waiting)
            }
            stage.remote.lead(to: try InProcessServer(backup, clock: stage.clock, run: "run-2"))
            stage.remote.fail(nil)
            try await stage.wait()
            try await stage.until { $0.summary == .inSync }
        }
        #expect(try await stage.client["notes"].journal.isEmpty)
    }

    // MARK: Credentials

    @Test func `a 401 pauses, and a retry resumes when the credentials are valid again (Contract §3.5)`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            stage.remote.fail(.oldToken)
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            try await stage.wait()
            try await stage.until(.paused)
            #expect(try await stage.client.status.summary == .paused(why: .init(.failure(.auth), "The token is old.")))
            for _ in 1...3 {
                let probe = try #require(stage.clock.sleepers.first)
                #expect(probe - stage.clock.now >= .seconds(60))
                let before = stage.remote.count
                try await stage.wait()
                await eventually("the server is asked") { stage.remote.count > before }
                try await stage.until(.paused)
                #expect(stage.remote.count == before + 1)
            }
            stage.remote.fail(nil)
            try await stage.wait()
            try await stage.until { $0.summary == .inSync }
        }
    }

    @Test func `a pause after a 401 ends at once when the app resumes (Contract §3.5)`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            stage.remote.fail(.oldToken)
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            try await stage.wait()
            try await stage.until(.paused)
            stage.remote.fail(nil)
            try await stage.client.resume()
            try await stage.until { $0.summary == .inSync }
            #expect(try await stage.served("1") != nil)
        }
    }

    @Test func `a URL without a server is retried rarely, and a new URL at once (Contract §3.5)`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            stage.remote.fail(RemoteFailure(.notFound, "There is nothing at this URL."))
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            try await stage.wait()
            try await stage.until(.paused)
            let status = try await stage.client.status
            #expect(status.summary == .paused(why: .init(.failure(.notFound), "There is nothing at this URL.")))
            #expect(status.outcome == .notFound)
            #expect(status.lastReports.first?.nextTry == nil)
            #expect(try #require(stage.clock.sleepers.first) - stage.clock.now >= .seconds(60))
            let before = stage.remote.count
            try await stage.wait()
            await eventually("the server is asked") { stage.remote.count > before }
            try await stage.until(.paused)
            stage.remote.fail(nil)
            try await stage.client.renew(remote: stage.remote)
            try await stage.until { $0.summary == .inSync }
            #expect(try await stage.served("1") != nil)
        }
    }

    // MARK: Two devices and an idle month

    @Test func `an edit on one running device reaches the other (Contract §10)`() async throws {
        let phone = try RunStage()
        let tablet = try RunStage(phone.server, seed: 2)
        try await phone.running {
            try await tablet.running {
                try await phone.until(.polling)
                try await tablet.until(.polling)
                for n in 1...10 {
                    try await phone.client["notes"].upsert([RecordInput(pk: "1", content: ["n": JSON(n)])])
                    let edited = phone.clock.now
                    try await phone.until(.due)
                    while try await tablet.client["notes"]["1"].snapshot()?.raw.content != Array("{\"n\":\(n)}".utf8) {
                        try await phone.wait()
                        try await phone.settle()
                        try await tablet.settle()
                    }
                    #expect(phone.clock.now - edited < .seconds(400))
                }
            }
        }
    }

    @Test func `an idle device makes at most ten requests an hour for a month (Contract §10)`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            let end = stage.clock.now + .seconds(30 * 86_400)
            // There is no alarm during a sync, so the wait for the next alarm includes the sync.
            while stage.clock.now < end { try await stage.wait() }
            print(
                "a month of an idle device: \(stage.remote.count) requests, \(Double(stage.remote.count) / 720) an hour"
            )
            #expect(stage.remote.count <= 30 * 24 * 10)
            #expect(stage.remote.count > 30 * 24 * 8)
        }
    }

    // MARK: Start and end of run, and parallel syncs

    @Test func `run returns when its task is cancelled, and leaves nothing running`() async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        try await client["notes"].create(["n": 1], pk: "1")
        let running = Task { try await client.run(connectivity: AsyncStream<Bool> { _ in }) }
        let request = try await network.next()
        running.cancel()
        try await running.value
        #expect(!request.isOpen)
        #expect(network.openCount == 0)
        #expect(held.server.clock.sleepers == [])
        #expect(try await client.status.run == nil)
        async let report = client.sync()
        let again = try await network.next()
        #expect(again.request.uploads.map(\.encodedEdit) == request.request.uploads.map(\.encodedEdit))
        await again.deliver()
        #expect(try await report.outcome == .inSync)
    }

    @Test func `run returns when the client is closed`() async throws {
        let stage = try RunStage()
        async let running: Void = stage.client.run(connectivity: stage.paths)
        try await stage.until(.polling)
        await stage.client.close()
        try await running
        #expect(stage.clock.sleepers == [])
    }

    @Test func `a client runs once at a time`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            let error = await #expect(throws: TidemarkError.self) {
                try await stage.client.run(connectivity: AsyncStream<Bool> { _ in })
            }
            #expect(error?.code == .alreadyRunning)
        }
        _ = try await stage.client.sync()
        let (paths, path) = AsyncStream.makeStream(of: Bool.self)
        path.finish()
        async let again: Void = stage.client.run(connectivity: paths)
        try await stage.until(.polling)
        await stage.client.close()
        try await again
    }

    @Test func `up to four collections sync at the same time`() async throws {
        var configuration = SyncConfiguration()
        for name in ["a", "b", "c", "d", "e", "f"] { configuration[name] = CollectionRules() }
        let held = try HeldClient(configuration)
        let (network, client) = (held.network, held.client)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run(connectivity: AsyncStream<Bool> { _ in }) }
            await eventually("four collections are syncing") { network.openCount == 4 }
            for _ in 1...6 {
                let request = try await network.next()
                #expect(network.openCount <= 4)
                await request.deliver()
            }
            try await eventually("all collections are in sync") { try await client.status.lastInSync != nil }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test(arguments: [true, false])
    func `a queued collection that the app synced or forgot is not synced again`(isForgotten: Bool) async throws {
        let held = try HeldClient()
        let (network, client) = (held.network, held.client)
        for name in ["a", "b"] {
            async let report = client.sync([name])
            try await network.next().deliver()
            _ = try await report
        }
        var plan = RunPlan()
        plan.collectionsAtOnce = 1
        try await withThrowingTaskGroup(of: Void.self) { [plan] group in
            group.addTask { try await client.run(plan, connectivity: AsyncStream<Bool> { _ in }) }
            let first = try await network.next()
            #expect(first.request.collection == "a")
            if isForgotten {
                try await client["b"].forget()
            } else {
                async let report = client.sync(["b"])
                try await network.next().deliver()
                _ = try await report
            }
            await first.deliver()
            try await eventually("all collections are idle") {
                try await client.status.run?.collections.allSatisfy { $0.phase == .polling } ?? false
            }
            #expect(network.openCount == 0)
            #expect(try await client.status.run?.collections.map(\.collection) == (isForgotten ? ["a"] : ["a", "b"]))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a sync by the app replaces the next sync of the run loop`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.polling)
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            let before = stage.remote.count
            _ = try await stage.client.sync()
            try await stage.until(.polling)
            #expect(stage.remote.count == before + 1)
            stage.clock.advance(by: .seconds(5))
            try await stage.wait()
            await eventually("the server is asked the next time") { stage.remote.count > before + 1 }
            #expect(stage.remote.times[before + 1] > stage.remote.times[before] + .seconds(5))
        }
    }

    @Test func `a temporarily full disk does not end run`() async throws {
        let store = MemoryStore()
        // The first sync begins with a transaction whose only write is its commit; the third write is the answer's first.
        store.failNextWrite(after: 2, with: TidemarkError(.storeFull, "The disk is full."))
        let stage = try RunStage(store: store)
        try await stage.running {
            try await stage.until(.waiting)
            #expect(try await stage.client.status.lastInSync == nil)
            try await stage.wait()
            try await stage.until(.polling)
            #expect(try await stage.client.status.summary == .inSync)
        }
    }

    @Test func `a client that spent its hourly budget waits for the renewal`() async throws {
        let stage = try RunStage()
        var plan = RunPlan()
        plan.requestsPerHour = 3
        try await stage.running(plan) {
            try await stage.until(.polling)
            for n in 1...2 {
                try await stage.client["notes"].upsert([RecordInput(pk: "1", content: ["n": JSON(n)])])
                try await stage.until(.due)
                try await stage.wait()
                try await stage.until { $0.unsentCount == 0 }
            }
            try await stage.until { $0.run?.budgetRenewal != nil }
            try await stage.client["notes"]["1"].edit { $0.n = 3 }
            try await stage.until(.due)
            let status = try await stage.client.status
            let renewal = try #require(status.run?.budgetRenewal)
            #expect(status.run?.requests == 3)
            #expect((status.run?.bytes ?? 0) > 0)
            #expect(status.run?.collections.map(\.next) == [nil], "no sync starts before")
            #expect(
                status.summary
                    == .waiting(
                        until: renewal,
                        why: .init(.budgetSpent, "The budget of requests and bytes for an hour is used up.")))
            stage.clock.set(to: renewal)
            try await stage.until { $0.unsentCount == 0 }
            #expect(stage.remote.count == 4)
        }
    }
}

import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// SPEC §10: a client that runs is kept in step.
@Suite(.timeLimit(.minutes(2))) struct RunTests {
    @Test func `SPEC 10 an edit is sent half a second later, and all that was typed until then in one request`()
        async throws
    {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
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

    @Test func `SPEC 10 unplugged nothing is tried, and plugged in again all is sent at once`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            stage.path.yield(false)
            try await stage.until { $0.standing == .offline }
            let before = stage.remote.count
            try await stage.client["notes"].create(["n": 1], pk: "42")
            try await stage.until(.due)
            stage.clock.advance(by: .seconds(3_600))
            #expect(try await stage.client.status.unsentCount == 1)
            #expect(stage.clock.sleepers == [])
            #expect(stage.remote.count == before)
            stage.path.yield(true)
            try await stage.until { $0.standing == .inStep }
            #expect(stage.remote.count == before + 1)
        }
    }

    @Test func `SPEC 10 a cable that is pulled without a word is waited out as long as the exchange says`() async throws
    {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            stage.remote.fail(.noCable)
            try await stage.client["notes"].create(["n": 1], pk: "42")
            try await stage.until(.due)
            await stage.wait()
            try await stage.until(.waiting)
            let next = try #require(try await stage.client.status.lastReports.first?.nextTry)
            #expect(stage.clock.sleepers == [next])
            stage.remote.fail(nil)
            let before = stage.remote.count
            try await stage.client["notes"].create(["n": 2], pk: "43")
            stage.clock.set(to: next)
            try await stage.until { $0.standing == .inStep }
            #expect(stage.remote.times.dropFirst(before).allSatisfy { $0 >= next })
        }
        #expect(try await stage.served("43") == Array(#"{"n":2}"#.utf8))
    }

    @Test func `SPEC 10 a lid that was closed for an hour costs one question, and what others did meanwhile is there`()
        async throws
    {
        let stage = try RunStage()
        let other = try RunStage(stage.server, seed: 2)
        try await other.client["notes"].create(["n": 7], pk: "7")
        try await stage.running {
            try await stage.until(.unwatched)
            _ = try await other.client.sync()
            let before = stage.remote.count
            stage.clock.advance(by: .seconds(3_600))
            try await eventually("7 is here") { try await stage.client["notes"]["7"].get() != nil }
            try await stage.until(.unwatched)
            #expect(stage.remote.count == before + 1)
        }
    }

    @Test func `SPEC 10 a server that is started again is found again, and has all`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            await stage.wait()
            try await stage.until(.unwatched)
            let backup = try stage.server.backup()
            stage.remote.fail(.noCable)
            try await stage.client["notes"]["1"].edit { $0.n = 2 }
            try await stage.until(.due)
            for _ in 1...3 {
                await stage.wait()
                try await stage.until(.waiting)
            }
            stage.remote.lead(to: try InProcessServer(backup, clock: stage.clock, run: "run-2"))
            stage.remote.fail(nil)
            await stage.wait()
            try await stage.until { $0.standing == .inStep }
        }
        #expect(try await stage.client["notes"].journal.isEmpty)
    }

    // MARK: Credentials

    @Test func `SPEC 3.5 a 401 pauses, is probed by itself, and ends when the credentials work again`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            stage.remote.fail(.oldToken)
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            await stage.wait()
            try await stage.until(.paused)
            #expect(try await stage.client.status.standing == .paused(why: "The token is old."))
            for _ in 1...3 {
                let probe = try #require(stage.clock.sleepers.first)
                #expect(probe - stage.clock.now >= .seconds(60))
                let before = stage.remote.count
                await stage.wait()
                await eventually("the server is asked") { stage.remote.count > before }
                try await stage.until(.paused)
                #expect(stage.remote.count == before + 1)
            }
            stage.remote.fail(nil)
            await stage.wait()
            try await stage.until { $0.standing == .inStep }
        }
    }

    @Test func `SPEC 3.5 a 401 ends at once when the app resumes`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            stage.remote.fail(.oldToken)
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            await stage.wait()
            try await stage.until(.paused)
            stage.remote.fail(nil)
            try await stage.client.resume()
            try await stage.until { $0.standing == .inStep }
            #expect(try await stage.served("1") != nil)
        }
    }

    @Test func `SPEC 3.5 a URL without a server is tried seldom, and another one at once`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            stage.remote.fail(RemoteFailure(.notFound, "There is nothing at this URL."))
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            await stage.wait()
            try await stage.until(.paused)
            let status = try await stage.client.status
            #expect(status.standing == .paused(why: "There is nothing at this URL."))
            #expect(status.outcome == .notFound)
            #expect(status.lastReports.first?.nextTry == nil)
            #expect(try #require(stage.clock.sleepers.first) - stage.clock.now >= .seconds(60))
            let before = stage.remote.count
            await stage.wait()
            await eventually("the server is asked") { stage.remote.count > before }
            try await stage.until(.paused)
            stage.remote.fail(nil)
            try await stage.client.renew(remote: stage.remote)
            try await stage.until { $0.standing == .inStep }
            #expect(try await stage.served("1") != nil)
        }
    }

    // MARK: Two devices, and a month

    @Test func `SPEC 10 what is edited on one device that runs is seen on the other that runs`() async throws {
        let phone = try RunStage()
        let tablet = try RunStage(phone.server, seed: 2)
        try await phone.running {
            try await tablet.running {
                try await phone.until(.unwatched)
                try await tablet.until(.unwatched)
                for n in 1...10 {
                    try await phone.client["notes"].upsert([NamedContent(pk: "1", content: ["n": JSON(n)])])
                    let edited = phone.clock.now
                    try await phone.until(.due)
                    while try await tablet.client["notes"]["1"].snapshot()?.raw.content != Array("{\"n\":\(n)}".utf8) {
                        await phone.wait()
                        try await phone.settle()
                        try await tablet.settle()
                    }
                    #expect(phone.clock.now - edited < .seconds(400))
                }
            }
        }
    }

    @Test func `SPEC 10 a month of an idle device costs no more than ten requests an hour`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            let end = stage.clock.now + .seconds(30 * 86_400)
            // There is no alarm while a sync goes on, so whoever waits for the next one has waited for that.
            while stage.clock.now < end { await stage.wait() }
            print(
                "a month of an idle device: \(stage.remote.count) requests, \(Double(stage.remote.count) / 720) an hour"
            )
            #expect(stage.remote.count <= 30 * 24 * 10)
            #expect(stage.remote.count > 30 * 24 * 8)
        }
    }

    // MARK: The structure

    @Test func `it returns when its task is cancelled, and leaves nothing running`() async throws {
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
        #expect(again.request.uploads.map(\.frozen) == request.request.uploads.map(\.frozen))
        await again.deliver()
        #expect(try await report.outcome == .inStep)
    }

    @Test func `it returns when the client is closed`() async throws {
        let stage = try RunStage()
        async let running: Void = stage.client.run(connectivity: stage.paths)
        try await stage.until(.unwatched)
        await stage.client.close()
        try await running
        #expect(stage.clock.sleepers == [])
    }

    @Test func `a client runs once at a time`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            let error = await #expect(throws: TidemarkError.self) {
                try await stage.client.run(connectivity: AsyncStream<Bool> { _ in })
            }
            #expect(error?.code == .alreadyRunning)
        }
        _ = try await stage.client.sync()
        let (paths, path) = AsyncStream.makeStream(of: Bool.self)
        path.finish()
        async let again: Void = stage.client.run(connectivity: paths)
        try await stage.until(.unwatched)
        await stage.client.close()
        try await again
    }

    @Test func `collections sync side by side, four at once`() async throws {
        var configuration = SyncConfiguration()
        for name in ["a", "b", "c", "d", "e", "f"] { configuration[name] = CollectionRules() }
        let held = try HeldClient(configuration)
        let (network, client) = (held.network, held.client)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run(connectivity: AsyncStream<Bool> { _ in }) }
            await eventually("four are asked about") { network.openCount == 4 }
            for _ in 1...6 {
                let request = try await network.next()
                #expect(network.openCount <= 4)
                await request.deliver()
            }
            try await eventually("all are in step") { try await client.status.lastInStep != nil }
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test(arguments: [true, false])
    func `what waits for a place is not synced once more when the app has done it, or has forgotten it`(
        isForgotten: Bool
    ) async throws {
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
            try await eventually("none of them has anything to do") {
                try await client.status.run?.collections.allSatisfy { $0.phase == .unwatched } ?? false
            }
            #expect(network.openCount == 0)
            #expect(try await client.status.run?.collections.map(\.collection) == (isForgotten ? ["a"] : ["a", "b"]))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    @Test func `a sync of the app's is as good as one of the loop's`() async throws {
        let stage = try RunStage()
        try await stage.running {
            try await stage.until(.unwatched)
            try await stage.client["notes"].create(["n": 1], pk: "1")
            try await stage.until(.due)
            let before = stage.remote.count
            _ = try await stage.client.sync()
            try await stage.until(.unwatched)
            #expect(stage.remote.count == before + 1)
            stage.clock.advance(by: .seconds(5))
            await stage.wait()
            await eventually("the server is asked the next time") { stage.remote.count > before + 1 }
            #expect(stage.remote.times[before + 1] > stage.remote.times[before] + .seconds(5))
        }
    }

    @Test func `a disk that is full for a while does not end it`() async throws {
        let store = MemoryStore()
        // The first sync begins with a transaction that writes nothing but its end; the third write is the answer's first.
        store.failNextWrite(after: 2, with: TidemarkError(.storeFull, "The disk is full."))
        let stage = try RunStage(store: store)
        try await stage.running {
            try await stage.until(.waiting)
            #expect(try await stage.client.status.lastInStep == nil)
            await stage.wait()
            try await stage.until(.unwatched)
            #expect(try await stage.client.status.standing == .inStep)
        }
    }

    @Test func `what may be spent within an hour is spent, and then waited for`() async throws {
        let stage = try RunStage()
        var plan = RunPlan()
        plan.requestsPerHour = 3
        try await stage.running(plan) {
            try await stage.until(.unwatched)
            for n in 1...2 {
                try await stage.client["notes"].upsert([NamedContent(pk: "1", content: ["n": JSON(n)])])
                try await stage.until(.due)
                await stage.wait()
                try await stage.until { $0.unsentCount == 0 }
            }
            try await stage.until { $0.run?.budgetRenewal != nil }
            try await stage.client["notes"]["1"].edit { $0.n = 3 }
            try await stage.until(.due)
            let status = try await stage.client.status
            let renewal = try #require(status.run?.budgetRenewal)
            #expect(status.run?.requests == 3)
            #expect((status.run?.bytes ?? 0) > 0)
            #expect(status.run?.collections.map(\.next) == [nil], "nothing starts by itself before")
            #expect(
                status.standing
                    == .waiting(until: renewal, why: "What may be sent and received within an hour is used up."))
            stage.clock.set(to: renewal)
            try await stage.until { $0.unsentCount == 0 }
            #expect(stage.remote.count == 4)
        }
    }
}

import Dispatch
import Foundation
import TestSupport
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting

@Suite(.timeLimit(.minutes(10))) struct `A client and its store` {
    let disk = MemoryDisk()
    let remote: InProcessRemote
    let clock = ManualClock()

    init() throws { self.remote = InProcessRemote(try InProcessServer()) }

    private func client() throws(TidemarkError) -> SyncClient {
        try SyncClient(
            store: self.disk.open(), remote: self.remote, configuration: SyncConfiguration(), time: self.clock, seed: 1)
    }

    private func open(waiting limit: Duration = SyncClient.openingLimit) async throws(TidemarkError) -> SyncClient {
        try await SyncClient.open(
            store: self.disk.open(), remote: self.remote, configuration: SyncConfiguration(), time: self.clock, seed: 2,
            waiting: limit)
    }

    /// Moves the clock to the end of each sleep, until the task has ended.
    private func letPass<Value>(_ task: Task<Value, any Error>) async throws -> Value {
        let moving = Task {
            while !Task.isCancelled {
                if let pause = self.clock.sleepers.first { self.clock.set(to: pause) }
                await Task.yield()
            }
        }
        defer { moving.cancel() }
        return try await task.value
    }

    @Test func `open waits until the client that has the store is closed`() async throws {
        let first = try self.client()
        try await first["notes"].create(["n": 1], pk: "42")
        let opening = Task { try await self.open() }
        await eventually("the store is waited for") { !self.clock.sleepers.isEmpty }
        await first.close()
        let second = try await self.letPass(opening)
        #expect(try await second["notes"]["42"].get() == ["n": 1])
    }

    @Test(arguments: [.zero, .milliseconds(1), .seconds(5)] as [Duration])
    func `open throws storeBusy after the time that it was given`(limit: Duration) async throws {
        let first = try self.client()
        let began = self.clock.now
        let opening = Task { try await self.open(waiting: limit) }
        let error = await #expect(throws: TidemarkError.self) { _ = try await self.letPass(opening) }
        #expect(error?.code == .storeBusy)
        let waited = self.clock.now - began
        #expect(waited >= limit && waited < limit + .milliseconds(41), "\(waited)")
        await first.close()
    }

    @Test func `open ends when its task is cancelled while it waits`() async throws {
        let first = try self.client()
        let opening = Task { try await self.open() }
        await eventually("the store is waited for") { !self.clock.sleepers.isEmpty }
        opening.cancel()
        let error = await #expect(throws: TidemarkError.self) { _ = try await opening.value }
        #expect(error?.code == .cancelled)
        await first.close()
    }

    @Test func `init throws storeBusy at once`() async throws {
        let first = try self.client()
        #expect(throws: TidemarkError.self) { _ = try self.client() }
        #expect(self.clock.sleepers.isEmpty)
        await first.close()
    }

    @Test func `clients that wait for their disks leave Swift's threads to other tasks`() async throws {
        // More clients than Swift has threads; each one blocks in the middle of a commit.
        let count = ProcessInfo.processInfo.activeProcessorCount * 2
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let disk = DispatchSemaphore(value: 0)
        let clients = try (0..<count).map { number in
            try SyncClient(
                store: MemoryStore(), remote: self.remote, configuration: SyncConfiguration(), time: self.clock,
                seed: UInt64(number))
        }
        for client in clients { try await client["notes"].create(["isWritten": false], pk: "42") }
        try await withThrowingTaskGroup { group in
            for client in clients {
                group.addTask {
                    _ = try await client["notes"]["42"].edit { record in
                        arrival.yield()
                        record.isWritten = JSON(disk.wait(timeout: .now() + .seconds(60)) == .success)
                    }
                }
            }
            group.addTask {
                var arrived = 0
                for await _ in arrivals {
                    arrived += 1
                    if arrived == count { break }
                }
                for _ in 0..<count { disk.signal() }
            }
            try await group.waitForAll()
        }
        for client in clients { #expect(try await client["notes"]["42"].get() == ["isWritten": true]) }
    }
}

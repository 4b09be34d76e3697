import Foundation
import PostgresForTests
import Tidemark
import TidemarkCore
import TidemarkJSON

/// One run: servers, their clients, and faults.
struct Day {
    private let settings: Settings
    private let fleet: Fleet
    private let ledger = Ledger()
    private let ended = Tally()

    init(_ settings: Settings) throws {
        self.settings = settings
        self.fleet = Fleet(settings)
    }

    /// Runs it, and returns the problems. All servers are stopped afterwards.
    func run() async -> [String] {
        do {
            try await self.live()
        } catch {
            await self.ledger.complain("the run failed: \(error)")
        }
        await self.fleet.stop()
        return await self.ledger.problems
    }

    private func live() async throws {
        let urls = try await self.fleet.start()
        let lines = try Fleet.tokens.map { try Line(to: urls, token: $0) }
        let end = ContinuousClock.now + .seconds(self.settings.seconds)
        let trouble = Task { try await self.trouble(until: end) }
        async let devices = self.devices(urls, until: end)
        async let readers = self.readers(lines, until: end)
        await self.write(lines, until: end)
        try await trouble.value
        let (lived, followed) = (try await devices, await readers)
        try await self.compare(lived, followed, lines)
    }

    /// A summary in one line.
    func summary() async -> String {
        """
        seed \(self.settings.seed), \(self.settings.seconds) s, \(self.settings.servers) servers, \(self.settings.writers) \
        writers: \(await self.ledger.count) edits accepted, \(await self.ledger.conflicts) conflicts, \
        \(await self.ledger.pages) pages read, \(await self.ledger.unanswered) requests without an answer; \
        \(await self.fleet.kills) processes killed, \(await self.ended.count) connections ended; \
        \(await self.ledger.problems.isEmpty ? "nothing lost, nothing missed, all in order, all agree" : "NOT as it has to be")
        """
    }

    private func write(_ lines: [Line], until end: ContinuousClock.Instant) async {
        await withTaskGroup { group in
            for number in 0..<self.settings.writers {
                var writer = Writer(
                    number, line: lines[Writer.account(of: number)], servers: self.settings.servers,
                    ledger: self.ledger,
                    seed: self.settings.seed)
                group.addTask { await writer.write(until: end) }
            }
        }
    }

    private func readers(_ lines: [Line], until end: ContinuousClock.Instant) async -> [Reader] {
        await withTaskGroup(of: Reader.self) { group in
            for (number, feed) in Feed.all.enumerated() {
                var reader = Reader(
                    feed, line: lines[feed.account], servers: Array(0..<self.settings.servers), ledger: self.ledger,
                    seed: self.settings.seed &+ UInt64(number) &* 31)
                group.addTask {
                    await reader.follow(until: end)
                    return reader
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func devices(_ urls: [String], until end: ContinuousClock.Instant) async throws -> [Device] {
        try await withThrowingTaskGroup(of: Device.self) { group in
            for number in 0..<2 {
                var device = try Device(number, url: urls[number % urls.count], seed: self.settings.seed)
                group.addTask {
                    try await device.live(until: end)
                    return device
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Kills a process or ends connections at random times. At the end all processes run.
    private func trouble(until end: ContinuousClock.Instant) async throws {
        var random = SeededGenerator(seed: self.settings.seed &* 31)
        let database = try PostgresClient(self.settings.store)
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(Int.random(in: 100...1_000, using: &random)))
            if Bool.random(using: &random) {
                let victim = Int.random(in: 0..<self.settings.servers, using: &random)
                await self.fleet.kill(victim)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...500, using: &random)))
                try await self.fleet.start(victim)
            } else {
                // Some of them, or all.
                let count = [1, 2, 4, 100].randomElement(using: &random) ?? 1
                let ended = try database.run(
                    """
                    SELECT pg_terminate_backend(pid) FROM (
                        SELECT pid FROM pg_stat_activity WHERE application_name = 'tidemark' AND pid <> pg_backend_pid()
                        ORDER BY md5(pid::text || '\(random.next())') LIMIT \(count)) AS chosen
                    """)
                await self.ended.add(ended.count)
            }
        }
    }

    /// Compares the readers at the end of the feed with a full resync from each server, and with the devices: all must be
    /// equal.
    private func compare(_ devices: [Device], _ readers: [Reader], _ lines: [Line]) async throws {
        var views: [[String: String]] = []
        let deadline = ContinuousClock.now + .seconds(120)
        // Twice, since the first device has to read the second one's edits.
        for device in devices + devices {
            switch try await device.settle(until: deadline) {
            case .success(let view): views = views.suffix(1) + [view]
            case .failure(let why): await self.ledger.complain("\(why)")
            }
        }
        if Set(views).count > 1 { await self.ledger.complain("the devices differ") }
        for var reader in readers {
            await reader.drain()
            for server in 0..<self.settings.servers {
                var fresh = Reader(
                    reader.feed, line: lines[reader.feed.account], servers: [server], ledger: self.ledger, seed: 1)
                await fresh.drain()
                await self.compare(reader, with: fresh, of: server)
            }
            let own = reader.feed == Device.feed ? devices.flatMap(\.marks) : []
            await self.look(for: own, in: reader)
            if reader.feed == Device.feed, let view = views.first { await self.compare(reader, with: view) }
        }
    }

    private func compare(_ reader: Reader, with fresh: Reader, of server: Int) async {
        for pk in Set(reader.items.keys).union(fresh.items.keys) where reader.items[pk] != fresh.items[pk] {
            await self.ledger.complain(
                """
                \(reader.feed) \(pk): the reader has \(reader.items[pk] ?? "nothing"), a full resync from server \(server) \
                \(fresh.items[pk] ?? "nothing")
                """)
        }
    }

    private func compare(_ reader: Reader, with view: [String: String]) async {
        guard reader.items.count != view.count else { return }
        await self.ledger.complain(
            "the devices have \(view.count) records of \(reader.feed), and the reader \(reader.items.count)")
    }

    /// Checks that all accepted edits are in the records.
    private func look(for own: [Ledger.Mark], in reader: Reader) async {
        let accepted = await self.ledger.accepted[reader.feed] ?? []
        for mark in accepted.union(own) {
            let item = reader.items[mark.pk].flatMap { try? JSON(parsing: Array($0.utf8)) }
            if item?["data"]?[mark.name] != true {
                await self.ledger.complain("\(reader.feed): \(mark) was accepted and is not there")
            }
        }
    }
}

/// A counter.
actor Tally {
    private(set) var count = 0

    func add(_ number: Int) { self.count += number }
}

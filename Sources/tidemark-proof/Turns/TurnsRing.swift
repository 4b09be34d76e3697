import Foundation
import Tidemark
import TidemarkCore
import TidemarkListener
import TidemarkTesting

/// The parent of the processes: it starts, stops and kills them, is the server, and has another device.
final class TurnsRing {
    let folder: URL
    private let seed: UInt64
    private let operations: Int
    private let server: InProcessServer
    private let listener: HTTPListener
    private let laptop: SyncClient
    private var laptopNumber = 0
    private var random: SeededGenerator
    private var workers: [Worker] = []
    private var histories: [Int: TurnsHistory] = [:]
    private var pauses: [TurnsPause] = []
    private var (kills, starts) = (0, 0)

    /// When a call ended last.
    private var progress = (count: 0, time: TurnsWorld.now)

    private struct Worker {
        let number: Int
        let role: TurnsWorld.Role
        var process: Process

        /// When the process is continued; nil while it runs.
        var stoppedUntil: Int64?
    }

    private var path: URL { self.folder.appending(path: "a.db") }
    private var url: String { "http://127.0.0.1:\(self.listener.port)/v1" }

    /// One of so many stops is longer than a call waits for the store: few, except for each fifth seed.
    private var longStopRate: Int { self.seed.isMultiple(of: 5) ? 3 : 60 }

    /// How long the processes may do nothing.
    private static let deadline = Duration.seconds(60)

    init(workers: Int, operations: Int, seed: UInt64) async throws {
        (self.seed, self.operations) = (seed, operations)
        self.folder = FileManager.default.temporaryDirectory.appending(path: "turns-\(UUID().uuidString)")
        self.random = SeededGenerator(seed: seed)
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: false)
        self.server = try InProcessServer()
        self.listener = try HTTPListener(self.server.core)
        self.laptop = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server),
            configuration: try TurnsWorld.configuration(.owner), collections: TurnsWorld.collections)
        self.histories[TurnsWorld.laptop] = TurnsHistory(worker: TurnsWorld.laptop)
        try await self.makeRecords()
        let roles: [TurnsWorld.Role] = [.owner, .guest, .syncingGuest, .guest]
        for number in 1...workers {
            self.histories[number] = TurnsHistory(worker: number)
            let role = roles[number - 1]
            self.workers.append(
                Worker(number: number, role: role, process: try self.start(number, role), stoppedUntil: nil))
        }
    }

    func removeFolder() { try? FileManager.default.removeItem(at: self.folder) }

    /// Runs the processes, and checks.
    ///
    /// - Returns: The result as a line.
    /// - Throws: `TurnsFault` for a broken guarantee.
    func run() async throws -> String {
        defer {
            for worker in self.workers where worker.process.isRunning {
                kill(worker.process.processIdentifier, SIGKILL)
                worker.process.waitUntilExit()
            }
            self.listener.stop()
        }
        var next = TurnsWorld.now
        while self.progress.count < self.operations {
            try await self.tick()
            guard TurnsWorld.now >= next else { continue }
            try await self.disturb()
            next = TurnsWorld.now + Int64.random(in: 50...400, using: &self.random) * 1_000_000
        }
        try await self.end()
        return try await self.check()
    }
}

// MARK: - Processes

extension TurnsRing {
    private func start(_ number: Int, _ role: TurnsWorld.Role) throws -> Process {
        self.starts += 1
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [
            "turns", "--worker", "\(number)", "--role", role.rawValue, "--folder", self.folder.path, "--url", self.url,
            "--seed", "\((self.seed &* 1_000 &+ UInt64(self.starts)) >> 1)",
        ]
        try process.run()
        return process
    }

    /// Continues processes, and reads their logs.
    private func tick() async throws {
        try await Task.sleep(for: .milliseconds(10))
        for place in self.workers.indices {
            let worker = self.workers[place]
            if let time = worker.stoppedUntil, time <= TurnsWorld.now { self.resume(place) }
            try self.histories[worker.number]?.read(in: self.folder)
            if let fault = self.histories[worker.number]?.fault {
                throw TurnsFault("process \(worker.number), \(worker.role.rawValue): \(fault)")
            }
            if !worker.process.isRunning,
                worker.process.terminationReason != .exit
                    || worker.process.terminationStatus != EXIT_SUCCESS
            {
                throw TurnsFault(
                    "process \(worker.number), \(worker.role.rawValue), ended with \(worker.process.terminationStatus)")
            }
        }
        let count = self.histories.values.reduce(0) { $0 + $1.endedCount }
        if count > self.progress.count { self.progress = (count, TurnsWorld.now) }
        guard .nanoseconds(TurnsWorld.now - self.progress.time) < Self.deadline else {
            throw TurnsFault("no call has ended for \(Self.deadline)")
        }
    }

    private func resume(_ place: Int) {
        kill(self.workers[place].process.processIdentifier, SIGCONT)
        self.workers[place].stoppedUntil = nil
        if let pause = self.pauses.lastIndex(where: { $0.worker == self.workers[place].number }) {
            self.pauses[pause].end = TurnsWorld.now
        }
    }

    private func disturb() async throws {
        let place = Int.random(in: 0..<self.workers.count, using: &self.random)
        let worker = self.workers[place]
        switch Int.random(in: 0..<1_000, using: &self.random) {
        case ..<200:
            // A long stop is not cut short.
            guard worker.stoppedUntil ?? 0 < TurnsWorld.now + 1_000_000_000 else { return }
            kill(worker.process.processIdentifier, SIGKILL)
            worker.process.waitUntilExit()
            self.kills += 1
            if worker.stoppedUntil != nil { self.resume(place) }
            self.workers[place].process = try self.start(worker.number, worker.role)
        case ..<600:
            guard worker.stoppedUntil == nil else { return }
            let isLong = Int.random(in: 0..<self.longStopRate, using: &self.random) == 0
            let length = Int64.random(in: isLong ? 6_000...9_000 : 50...600, using: &self.random) * 1_000_000
            let now = TurnsWorld.now
            kill(worker.process.processIdentifier, SIGSTOP)
            self.pauses.append(TurnsPause(worker: worker.number, began: now))
            self.workers[place].stoppedUntil = now + length
        case ..<850: try await self.editOnLaptop()
        default: _ = try await self.laptop.sync()
        }
    }

    /// Lets the guests edit while the owner does nothing by itself, then asks the guests and the owner to stop, and waits for their
    /// ends.
    private func end() async throws {
        for place in self.workers.indices where self.workers[place].stoppedUntil != nil { self.resume(place) }
        try self.tell(1, "rest")
        let last = self.progress.count + Self.editsOfGuests
        while self.progress.count < last { try await self.tick() }
        for place in self.workers.indices.reversed() {
            let worker = self.workers[place]
            try self.tell(worker.number, "stop")
            self.progress.time = TurnsWorld.now
            while worker.process.isRunning { try await self.tick() }
            try await self.tick()
        }
    }
}

extension TurnsRing {
    private static let editsOfGuests = 100

    private func tell(_ worker: Int, _ word: String) throws {
        try Data().write(to: self.folder.appending(path: "\(word)-\(worker)"))
    }
}

// MARK: - The other device

extension TurnsRing {
    /// Makes the records that all edit, as the owner.
    private func makeRecords() async throws {
        let owner = try await TurnsWorld.open(self.path, .owner, remote: try HTTPRemote(url: self.url))
        for collection in TurnsWorld.collections {
            for pk in TurnsWorld.sharedPKs { try await owner[collection].create(["sum": 0, "shared": ""], pk: pk) }
        }
        _ = try await owner.sync()
        await owner.close()
        _ = try await self.laptop.sync()
    }

    private func editOnLaptop() async throws {
        self.laptopNumber += 1
        let (number, worker) = (self.laptopNumber, TurnsWorld.laptop)
        let collection = Bool.random(using: &self.random) ? "notes" : "tasks"
        let pk = TurnsWorld.sharedPKs[Int.random(in: 0..<TurnsWorld.sharedPKs.count, using: &self.random)]
        let kinds: [TurnsCall.Kind] = [.count, .add, .share]
        let kind = kinds[Int.random(in: 0..<kinds.count, using: &self.random)]
        var call = TurnsCall(worker: worker, number: number, kind: kind, collection: collection, pk: pk)
        let former = try await self.laptop[collection][pk].get()?.shared?.string
        let value = SharedValue(name: call.name, replacing: former)
        try await self.laptop[collection][pk].edit { (record) throws(TidemarkError) in
            switch kind {
            case .count: record[TurnsWorld.counter(of: worker)] = JSON(number)
            case .add: record.sum = JSON((record.sum?.int ?? 0) + 1)
            default: record.shared = JSON(value.text)
            }
        }
        call.end = .done(kind == .share ? value.replaced : "-")
        self.histories[worker]?.add(call)
    }
}

// MARK: - Checks

extension TurnsRing {
    private func check() async throws -> String {
        let owner = try await TurnsWorld.open(self.path, .owner, remote: try HTTPRemote(url: self.url))
        let fresh = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), collections: TurnsWorld.collections)
        // The first two have each other's edits after this.
        for client in [owner, self.laptop, owner, self.laptop, fresh] { try await Self.settle(client) }
        var journal = Set<SharedValue>()
        for client in [owner, self.laptop] {
            for collection in TurnsWorld.collections {
                for entry in try await client[collection].journal where entry.path.text == "/shared" {
                    if let value = try entry.lostValue?.string { journal.insert(SharedValue(value)) }
                }
            }
        }
        let calls = self.histories.values.flatMap { $0.calls.values }
        let check = TurnsCheck(calls: calls, journal: journal)
        try await check.compare(owner, with: [self.laptop, fresh])
        await owner.close()
        try check.checkFile(self.path)
        let times = TurnsTimes(calls: calls, failures: self.histories.values.flatMap(\.failures), pauses: self.pauses)
        try times.check()
        let lost = self.histories.values.reduce(0) { $0 + $1.lostAnswers }
        return """
            \(self.progress.count) operations of \(self.workers.count) processes, \(times.changesOfHands) changes of hands, \
            \(self.kills) kills, \(self.pauses.count) stops, \(lost) lost answers, \(journal.count) values in journals, \
            \(times.busyCount) busy; the longest call \(times.longestCall) ms, of a sync \(times.longestSync) ms: nothing is \
            lost, and nothing is there twice
            """
    }

    /// Syncs until nothing is left to do.
    private static func settle(_ client: SyncClient) async throws {
        for _ in 0..<1_000 {
            let report = try await client.sync()
            let status = try await client.status
            if report.outcome == .inSync, status.isInSync { return }
        }
        throw TurnsFault("after 1,000 syncs the status is \(try await client.status)")
    }
}

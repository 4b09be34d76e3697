import Foundation
import Synchronization
import Tidemark
import TidemarkCore

/// A process that uses the store until it is asked to stop, or killed.
struct TurnsWorker {
    private let folder: URL
    private let worker: Int
    private let role: TurnsWorld.Role
    private let remote: LosingRemote
    private let log: TurnsLog
    private let parent = getppid()
    private var random: SeededGenerator
    private var client: SyncClient?

    /// The number of the last call, over all processes of this worker.
    private var number = 0

    /// The records that this worker has created, and may delete.
    private var own: [(collection: String, pk: String)] = []

    /// The live list; nil unless this is the owner.
    private var list: LiveList?

    init(_ worker: Int, _ role: TurnsWorld.Role, in folder: URL, url: String, seed: UInt64) throws {
        self.folder = folder
        self.worker = worker
        self.role = role
        self.log = try TurnsLog(worker: worker, in: folder)
        self.random = SeededGenerator(seed: seed)
        self.remote = LosingRemote(try HTTPRemote(url: url), seed: seed, self.log)
        var history = TurnsHistory(worker: worker)
        try history.read(in: folder)
        self.number = history.calls.keys.max() ?? 0
        let deleted = Set(history.calls.values.lazy.filter { $0.kind == .delete }.map { "\($0.collection) \($0.pk)" })
        self.own = history.calls.values.filter { call in
            guard call.kind == .create, case .done = call.end else { return false }
            let place = "\(call.collection) \(call.pk)"
            return !deleted.contains(place)
        }.sorted { $0.number < $1.number }.map { ($0.collection, $0.pk) }
    }

    /// Whether the parent has asked for something.
    private func isTold(_ word: String) -> Bool {
        FileManager.default.fileExists(atPath: self.folder.appending(path: "\(word)-\(self.worker)").path)
    }

    mutating func run() async throws -> Never {
        do {
            try await self.open()
            while !self.isTold("stop") {
                // The parent has ended, and with it the proof.
                guard getppid() == self.parent else { exit(EXIT_FAILURE) }
                if self.isTold("rest") {
                    try await Task.sleep(for: .milliseconds(10))
                } else {
                    try await self.step()
                }
            }
            try await self.end()
        } catch {
            self.log.fault("\(error)")
        }
        exit(EXIT_SUCCESS)
    }

    private mutating func end() async throws {
        try await self.list?.check()
        if self.role == .owner { try await self.settle() }
        try await self.close()
    }
}

extension TurnsWorker {
    /// Syncs until all is sent, with the client that has handed its store over many times.
    private func settle() async throws {
        guard let client = self.client else { return }
        var deadline = TurnsWorld.now + 30_000_000_000
        while true {
            let report = try await client.sync(within: TurnsWorld.syncLimit)
            if report.outcome == .inSync, try await client.status.isInSync { return }
            // Thousands of changes take their time, since answers are still lost; each sync has to move on.
            if report.collections.contains(where: { !$0.pushed.isEmpty || $0.pulled > 0 }) {
                deadline = TurnsWorld.now + 30_000_000_000
            }
            guard TurnsWorld.now < deadline else {
                throw TurnsFault(
                    "the owner is not in sync, and sent and received nothing for 30 s: \(report.collections)")
            }
        }
    }
}

// MARK: - Calls

extension TurnsWorker {
    private mutating func step() async throws {
        let collection = Bool.random(using: &self.random) ? "notes" : "tasks"
        let shared = TurnsWorld.sharedPKs[Int.random(in: 0..<TurnsWorld.sharedPKs.count, using: &self.random)]
        let (worker, next) = (self.worker, self.number + 1)
        let (name, counter) = ("\(worker)-\(next)", TurnsWorld.counter(of: worker))
        switch Int.random(in: 0..<1_000, using: &self.random) {
        case ..<200:
            let isDone = try await self.perform(.create, collection, name) { client in
                try await client[collection].create(["made": JSON(next), "by": JSON(worker)], pk: name)
                return nil
            }
            if isDone { self.own.append((collection, name)) }
        case ..<430:
            try await self.perform(.count, collection, shared) { client in
                try await client[collection][shared].edit { (record) throws(TidemarkError) in
                    record[counter] = JSON(next)
                }
                return nil
            }
        case ..<580:
            try await self.perform(.add, collection, shared) { client in
                try await client[collection][shared].edit { (record) throws(TidemarkError) in
                    record.sum = JSON((record.sum?.int ?? 0) + 1)
                }
                return nil
            }
        case ..<690:
            try await self.perform(.share, collection, shared) { client in
                let former = Mutex("")
                try await client[collection][shared].edit { (record) throws(TidemarkError) in
                    let value = SharedValue(name: name, replacing: record.shared?.string)
                    former.withLock { $0 = value.replaced }
                    record.shared = JSON(value.text)
                }
                return former.withLock { $0 }
            }
        case ..<770:
            guard !self.own.isEmpty else { return }
            let chosen = self.own.swapRemove(Int.random(in: 0..<self.own.count, using: &self.random))
            let isDone = try await self.perform(.delete, chosen.collection, chosen.pk) { client in
                try await client[chosen.collection][chosen.pk].delete()
                return nil
            }
            if !isDone { self.own.append(chosen) }
        case ..<840:
            try await self.perform(.createBoth, "notes", name) { client in
                let content: JSON = ["made": JSON(next), "by": JSON(worker)]
                try await client.transaction { (transaction) throws(TidemarkError) in
                    for collection in TurnsWorld.collections {
                        _ = try transaction[collection].create(content, pk: name)
                    }
                }
                return nil
            }
        case ..<890:
            try await self.perform(.look, collection, shared) { client in
                guard try await client[collection][shared].get() == nil else { return nil }
                throw TurnsFault("\(shared) of \(collection) is missing")
            }
        case ..<930:
            try await self.perform(.query, collection, "-") { client in
                let count = try await client[collection].count(TurnsWorld.listed)
                guard count != TurnsWorld.sharedPKs.count else { return nil }
                throw TurnsFault("\(count) records of \(collection) have a sum")
            }
        case ..<950:
            try await self.close()
            try await self.open()
        case ..<970: try await Task.sleep(for: .milliseconds(Int.random(in: 1...40, using: &self.random)))
        case ..<985:
            guard self.role == .owner else { return }
            try await self.perform(.suspend, "-", "-") { client in
                try await client.suspend()
                return nil
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...80, using: &self.random)))
            try await self.wake()
        default:
            guard self.role != .guest else { return }
            try await self.perform(.sync, collection, "-") { client in
                _ = try await client.sync([collection], within: TurnsWorld.syncLimit)
                return nil
            }
        }
    }

    /// Makes one call, with a line before and after it.
    ///
    /// - Returns: False if another process did not hand the store over in time.
    @discardableResult
    private mutating func perform(
        _ kind: TurnsCall.Kind, _ collection: String, _ pk: String, _ body: (SyncClient) async throws -> String?
    ) async throws -> Bool {
        guard let client = self.client else { throw TurnsFault("there is no client") }
        return try await self.record(kind, collection, pk) { try await body(client) }
    }

    private mutating func record(
        _ kind: TurnsCall.Kind, _ collection: String, _ pk: String, _ body: () async throws -> String?
    ) async throws -> Bool {
        self.number += 1
        self.log.intend(
            TurnsCall(worker: self.worker, number: self.number, kind: kind, collection: collection, pk: pk))
        let began = TurnsWorld.now
        do {
            let replaced = try await body()
            self.log.done(self.number, since: began, replacing: replaced)
            return true
        } catch let error as TidemarkError where error.code == .storeBusy {
            self.log.fail(self.number, since: began)
            return false
        } catch {
            throw TurnsFault("\(kind.rawValue) of \(pk) in \(collection), call \(self.number): \(error)")
        }
    }

    private mutating func open() async throws {
        let (path, role, remote) = (self.folder.appending(path: "a.db"), self.role, self.remote)
        let opened = Mutex<SyncClient?>(nil)
        while opened.withLock({ $0 }) == nil {
            _ = try await self.record(.open, "-", "-") {
                let client =
                    role == .guest
                    ? try await TurnsWorld.open(path, role, remote: .none)
                    : try await TurnsWorld.open(path, role, remote: remote)
                opened.withLock { $0 = client }
                return nil
            }
        }
        self.client = opened.withLock { $0 }
        if role == .owner, let client { self.list = LiveList(client, self.log) }
    }

    private mutating func close() async throws {
        await self.client?.close()
        try await self.list?.end()
        (self.client, self.list) = (nil, nil)
    }

    private mutating func wake() async throws {
        var isAwake = false
        while !isAwake {
            isAwake = try await self.perform(.wake, "-", "-") { client in
                try await client.wake()
                return nil
            }
        }
    }
}

extension Array {
    /// Removes an element, whose place the last one takes.
    fileprivate mutating func swapRemove(_ place: Int) -> Element {
        self.swapAt(place, self.count - 1)
        return self.removeLast()
    }
}

// MARK: - The run loop and the list of the owner

/// A live list and the run loop of a client.
private struct LiveList {
    private let client: SyncClient
    private let tasks: [Task<Void, any Error>]
    private let latest: Latest

    /// The last list.
    private final class Latest: Sendable {
        let records = Mutex<[String: JSON]>([:])
    }

    init(_ client: SyncClient, _ log: TurnsLog) {
        let latest = Latest()
        let list = Task {
            try await Self.again("the list", log) {
                for try await list in client["notes"].observe(TurnsWorld.listed) {
                    let records = Dictionary(list.records.map { ($0.pk, $0.value) }) { first, _ in first }
                    latest.records.withLock { $0 = records }
                }
            }
        }
        let run = Task {
            try await Self.again("the run loop", log, orSuspended: true) {
                var plan = RunPlan()
                plan.debounce = .milliseconds(20)
                try await client.run(plan)
            }
        }
        (self.client, self.latest, self.tasks) = (client, latest, [list, run])
    }

    /// Repeats a function that ends while a process that has the store is stopped.
    ///
    /// - Parameter isSuspendable: Whether the function can't begin while the client is suspended.
    private static func again(
        _ name: String, _ log: TurnsLog, orSuspended isSuspendable: Bool = false, _ body: () async throws -> Void
    ) async throws {
        while true {
            do {
                return try await body()
            } catch let error as TidemarkError where error.code == .storeBusy {
                let now = TurnsWorld.now
                log.fail(0, since: now)
            } catch let error as TidemarkError where error.code == .suspended && isSuspendable {
                try await Task.sleep(for: .milliseconds(5))
            } catch let error as TidemarkError where error.code == .clientClosed {
                return
            } catch {
                log.fault("\(name): \(error)")
            }
        }
    }

    /// Waits until the list equals a query.
    func check() async throws {
        let deadline = TurnsWorld.now + 10_000_000_000
        while true {
            let page = try await self.client["notes"].page(TurnsWorld.listed)
            let expected = Dictionary(page.records.map { ($0.pk, $0.value) }) { first, _ in first }
            if self.latest.records.withLock({ $0 }) == expected { return }
            guard TurnsWorld.now < deadline else { throw TurnsFault("the live list does not show the present records") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Waits for the end, after the client was closed.
    func end() async throws {
        for task in self.tasks { try await task.value }
    }
}

// MARK: - The network

/// A remote that delays and loses a part of the answers after the server has the request.
struct LosingRemote: Remote {
    private let remote: HTTPRemote
    private let log: TurnsLog
    private let random: Randomness

    private final class Randomness: Sendable {
        let generator: Mutex<SeededGenerator>

        init(seed: UInt64) {
            self.generator = Mutex(SeededGenerator(seed: seed &+ 1))
        }
    }

    init(_ remote: HTTPRemote, seed: UInt64, _ log: TurnsLog) {
        self.remote = remote
        self.log = log
        self.random = Randomness(seed: seed)
    }

    var capabilities: RemoteCapabilities { self.remote.capabilities }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let answer = try await self.remote.exchange(request)
        let (isLost, delay) = self.random.generator.withLock { random in
            (Int.random(in: 0..<100, using: &random) < 15, Self.delay(&random))
        }
        if isLost { self.log.lose() }
        guard (try? await Task.sleep(for: .milliseconds(delay))) != nil else {
            throw RemoteFailure(.cancelled, "The request was cancelled.")
        }
        guard !isLost else { throw RemoteFailure(.offline, "The answer was lost.") }
        return answer
    }

    /// How many milliseconds an answer needs: sometimes longer than a request may take when the store is handed over.
    private static func delay(_ random: inout SeededGenerator) -> Int {
        switch Int.random(in: 0..<200, using: &random) {
        case 0: Int.random(in: 2_000...3_000, using: &random)
        case 1..<40: Int.random(in: 1...100, using: &random)
        default: 0
        }
    }

    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        try await self.remote.hints(for: collections, onHint: onHint)
    }
}

package import TidemarkCore
package import TidemarkSimulation
import TidemarkTesting
import TidemarkJSON
import TidemarkRules

/// Devices whose clients are used by several tasks at once, and a network between them and a server that loses, repeats and
/// delays.
///
/// It is the second mode of ``Simulation``. A seed decides the steps of each task, and the scheduler decides their order, so
/// a run can't be repeated. It finds faults of concurrent calls: edits, reads, syncs, decisions and closings of the same
/// client. At the end no device has more to send, and the same properties have to hold: each device equals the server, each
/// counter is the sum of its additions, each lost value is in a journal, and each trace can be replayed.
///
/// ```swift
/// let report = await ConcurrentSimulation(seed: 7, steps: 500).run()
/// #expect(report.violation == nil)
/// ```
package struct ConcurrentSimulation: Sendable {
    /// How many tasks use a device at once.
    private static let callers = 4

    private let script: SimulationScript
    private let disks: [ConcurrentDisk]
    private let breaking: (any Remote)?
    private let open: @Sendable (Int, UnreliableNetwork, SyncConfiguration, ManualClock, UInt64) throws -> SyncClient

    /// Draws the steps of each task. Records are kept in memory.
    ///
    /// - Parameters:
    ///   - seed: Decides the steps of each task.
    ///   - steps: How many steps there are, over all tasks.
    ///   - devices: How many devices, from 2 to 8; the seed decides when it is left out.
    ///   - breaking: A remote whose connections break. Requests are lost there, and the client has to recognize that
    ///     (Contract §3.5). By default, requests are lost in the process.
    package init(
        seed: UInt64, steps: Int, devices: Int? = nil, breaking: (any Remote)? = nil
    ) {
        let disks = (0..<8).map { _ in ConcurrentDisk() }
        self.init(seed: seed, steps: steps, devices: devices, disks: disks, breaking) { device in
            try disks[device].open()
        }
    }

    /// Draws the steps of each task, and keeps records in stores of the caller.
    ///
    /// - Parameters:
    ///   - seed: Decides the steps of each task.
    ///   - steps: How many steps there are, over all tasks.
    ///   - devices: How many devices, from 2 to 8; the seed decides when it is left out.
    ///   - breaking: A remote whose connections break; by default, requests are lost in the process.
    ///   - store: Opens the store of a device. It is called again after each close, and returns the same content.
    package init<Store: RecordStore & SendableMetatype>(
        seed: UInt64, steps: Int, devices: Int? = nil, breaking: (any Remote)? = nil,
        store: @escaping @Sendable (_ device: Int) throws -> sending Store
    ) {
        self.init(seed: seed, steps: steps, devices: devices, disks: [], breaking, store: store)
    }

    private init<Store: RecordStore & SendableMetatype>(
        seed: UInt64, steps: Int, devices: Int?, disks: [ConcurrentDisk], _ breaking: (any Remote)?,
        store: @escaping @Sendable (_ device: Int) throws -> sending Store
    ) {
        var draw = SimulationDraw(seed: seed)
        self.script = draw.script(steps: steps, devices: devices, isThemed: false)
        self.disks = disks
        self.breaking = breaking
        self.open = { device, network, configuration, clock, seed in
            try SyncClient(
                store: try store(device), remote: network, configuration: configuration, time: clock, seed: seed)
        }
    }

    /// Runs the simulation.
    ///
    /// - Returns: The report. Its digest is empty, since no two runs are equal.
    package func run() async -> SimulationReport {
        let ledger = ConcurrentLedger()
        var requests = 0
        do {
            let devices = try self.devices()
            let (errands, continuation) = AsyncStream.makeStream(of: ConcurrentErrand.self)
            async let background: Void = Self.carryOut(errands)
            do {
                try await self.begin(devices[0])
                for device in devices { continuation.yield(.watch(device.client)) }
                await self.call(devices, ledger, continuation)
                try await ConcurrentEnd(devices: devices, ledger: ledger.now).check()
            } catch {
                ledger.report(Self.violation(error))
            }
            for device in devices { await device.client.close() }
            continuation.finish()
            await background
            requests = devices.reduce(0) { $0 + $1.network.requests }
        } catch {
            ledger.report(Self.violation(error))
        }
        return SimulationReport(
            violation: ledger.now.violation, steps: ledger.now.calls, requests: requests, digest: "")
    }

    private static func violation(_ error: any Error) -> SimulationViolation {
        error as? SimulationViolation ?? SimulationViolation("R24", "an unexpected error", "\(error)")
    }

    private static func carryOut(_ errands: AsyncStream<ConcurrentErrand>) async {
        await withDiscardingTaskGroup { group in
            for await errand in errands { group.addTask { await errand.run() } }
        }
    }

    private func devices() throws -> [ConcurrentDevice] {
        let setting = self.script.setting
        let server = try InProcessServer()
        var configuration = try setting.configuration(nil, isFirst: true)
        configuration.traceLimit = configuration.traceLimit ?? 1_000_000
        let (open, clock, kept) = (self.open, server.clock, configuration)
        return try (0..<setting.devices).map { index in
            let seed = SeededGenerator(seed: setting.seed &+ UInt64(index)).first
            let network = UnreliableNetwork(server, breaking: self.breaking, seed: seed)
            let disk = self.disks.isEmpty ? nil : self.disks[index]
            return try ConcurrentDevice(index: index, network: network, disk: disk) { number in
                // Each process has separate ids.
                try open(index, network, kept, clock, seed &+ (number &<< 32))
            }
        }
    }

    /// Creates the counters before the first addition.
    private func begin(_ device: ConcurrentDevice) async throws {
        let counts = device.client[SimulationSetting.counts]
        for pk in SimulationRun.counters { try await counts.create(["n": 0], pk: pk) }
    }

    private func call(
        _ devices: [ConcurrentDevice], _ ledger: ConcurrentLedger,
        _ errands: AsyncStream<ConcurrentErrand>.Continuation
    ) async {
        var acts = [[SimulationStep.DeviceAct]](repeating: [], count: devices.count)
        for case .device(let index, let act) in self.script.steps where index < devices.count {
            acts[index].append(act)
        }
        let work = Task { await self.perform(acts, on: devices, ledger, errands) }
        let watch = Task {
            guard await Self.isStuck(ledger) else { return }
            ledger.report(SimulationViolation("§3.5", "a call does not return"))
            // A cancelled caller leaves its sync, so that the run ends.
            work.cancel()
        }
        await work.value
        watch.cancel()
    }

    /// The time without progress after which the callers count as stuck.
    private static let timeout = Duration.seconds(30)

    /// Returns true after a time without progress, and false when cancelled.
    private static func isStuck(_ ledger: ConcurrentLedger) async -> Bool {
        var last = -1
        while true {
            let now = ledger.now.returned
            guard now != last else { return true }
            last = now
            do { try await Task.sleep(for: Self.timeout) } catch { return false }
        }
    }

    private func perform(
        _ acts: [[SimulationStep.DeviceAct]], on devices: [ConcurrentDevice], _ ledger: ConcurrentLedger,
        _ errands: AsyncStream<ConcurrentErrand>.Continuation
    ) async {
        await withDiscardingTaskGroup { group in
            for device in devices {
                let caller = ConcurrentCaller(device: device, ledger: ledger, errands: errands)
                for number in 0..<Self.callers {
                    let own = acts[device.index].enumerated().filter { $0.offset % Self.callers == number }.map(
                        \.element)
                    group.addTask { await caller.perform(own) }
                }
            }
        }
    }
}

extension SeededGenerator {
    fileprivate var first: UInt64 {
        var copy = self
        return copy.next()
    }
}

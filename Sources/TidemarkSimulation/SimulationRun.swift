import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// A run of a script: the devices, the server, the messages between them, and the model that checks them.
package final class SimulationRun {
    /// An answer in flight.
    struct Answer {
        var device: SimulatedDevice
        var request: ExchangeRequest
        var token: ExchangeToken
        var outcome: Result<ExchangeAnswer, RemoteFailure>
        /// The rows of the server at the answer; nil for another account.
        var ledger: ServerLedger?
        /// The process that waits for it, by default the present one of the device.
        var process: SimulatedProcess

        init(
            device: SimulatedDevice, request: ExchangeRequest, token: ExchangeToken,
            outcome: Result<ExchangeAnswer, RemoteFailure>, ledger: ServerLedger? = nil,
            process: SimulatedProcess? = nil
        ) {
            (self.device, self.request, self.token, self.outcome) = (device, request, token, outcome)
            (self.ledger, self.process) = (ledger, process ?? device.process)
        }
    }

    let setting: SimulationSetting
    /// Whether the configuration is drawn, and not given by a test.
    let isDrawn: Bool
    let server: SimulatedServer
    private(set) var devices: [SimulatedDevice] = []
    /// The number of processes that have begun after the first ones of the devices.
    var processes = 0
    private var generator: SeededGenerator
    /// The configuration of a device after a restart.
    private let laterConfiguration: SyncConfiguration
    var answers: [Answer] = []
    /// Deliveries of requests whose devices no longer wait for an answer.
    var late: [(SimulationRun) throws -> Void] = []
    var digest = SimulationDigest()
    var requests = 0

    /// Called with a line of text for each event.
    var tell: ((String) -> Void)?

    /// Takes down all that the devices do; nil for a run whose facts are not compared.
    let transcript: SimulationTranscript?

    // The knowledge of the model, besides the server and the devices.

    /// The expected value of each counter.
    var sums: [String: Int] = [:]

    /// Whether the sums are guaranteed. A server that has lost acknowledged writes has lost additions as well (Contract §6, R18).
    var isSumKnown = true

    /// Words that a rolled back server has lost, and that a device had confirmed (I1, Contract §6).
    var lostByServer: Set<Int> = []

    /// The words of records that were discarded while the server may never have had them, by record (I11). Their absence is
    /// checked only on a server that knows its acknowledged writes: a rolled back server has values that were removed later, and
    /// a server that has forgotten its answers accepts a repeated create as a new one.
    var givenUp: [SimulationStep.Place: Set<Int>] = [:]

    /// The ids of uploads whose answer a purge may have removed (W4). They are recognized by content only if the server refuses a
    /// cursor of their device (R18).
    var forgottenUploads: Set<String> = []

    /// Words that were restored from a journal.
    var restored: Set<Int> = []

    /// Whether a device is being given an answer.
    var isHearing = false

    /// Whether a conflict is being decided by the user, or a change discarded.
    var isDeciding = false

    /// Whether the user is restoring a value.
    var isRestoring = false

    /// The records whose changes were pending when their store was copied. Both devices send them.
    var sentTwice: Set<SimulationStep.Place> = []

    /// The devices that have acted on a record, except for discarding it; -1 for a device that decided a conflict about it.
    var hands: [SimulationStep.Place: Set<Int>] = [:]

    /// Makes the devices and a server, with the counters on it.
    init(
        _ setting: SimulationSetting, configuration: SyncConfiguration?, store: () throws -> any CopyableStore,
        lesser form: LesserForm? = nil, transcript: SimulationTranscript? = nil
    ) throws {
        let stores = try (0..<setting.devices).map { _ in FaultyStore(try store()) }
        var setting = setting
        if !stores.allSatisfy(\.findsReferences) { setting.references = 0 }
        self.setting = setting
        self.transcript = transcript
        self.isDrawn = configuration == nil
        self.server = try SimulatedServer(
            limits: setting.serverLimits, isStrict: setting.strictDeletions > 0, lesser: form, seed: setting.seed)
        self.server.hasKeys = setting.references > 0
        self.generator = SeededGenerator(seed: setting.seed)
        self.laterConfiguration = try setting.configuration(configuration, isFirst: false)
        let configuration = try setting.configuration(configuration, isFirst: true)
        let capabilities = form?.capabilities ?? .native
        for (index, store) in stores.enumerated() {
            let clock = ManualClock()
            let device = try StoredDevice(
                SimulationStep.deviceNames[index], store: store, seed: self.generator.next(), clock: clock,
                configuration: configuration, capabilities: capabilities)
            transcript?.follow(device)
            self.devices.append(SimulatedDevice(device, index: index, clock: clock, configuration))
        }
        // An addition may count twice or be overwritten on a server that does less.
        guard form == nil else {
            self.isSumKnown = false
            return
        }
        for pk in Self.counters {
            try self.devices[0].device.run { (engine) throws(TidemarkError) in
                try engine.create(["n": 0], pk: pk, in: SimulationSetting.counts).effects
            }
            self.sums[pk] = 0
        }
        try self.sync(self.devices[0], SimulationSetting.counts)
        if setting.records > 0 { try self.makeRecords() }
    }

    /// Makes the first records. A server without a later backup is restored to them.
    private func makeRecords() throws {
        for (index, pk) in SimulationSetting.pks.prefix(self.setting.records).enumerated() {
            let place = SimulationStep.Place(collection: SimulationSetting.collections[0], pk: pk)
            try self.act(.create(place, word: Self.firstWord + index), on: self.devices[0])
        }
        try self.sync(self.devices[0], SimulationSetting.collections[0])
        try self.server.backUp()
    }

    /// Larger than the number of words of a script.
    private static let firstWord = 1_000_000

    package static let counters = ["p", "q"]

    func perform(_ step: SimulationStep) throws {
        self.tell?(step.text)
        guard self.server.lesser == nil || step.isForLesserServers else { return }
        switch step {
        case .device(let index, let act):
            guard index < self.devices.count else { return }
            try self.perform(act, on: self.devices[index])
        case .answer(let number, let fate): try self.settle(number, fate)
        case .late(let number):
            guard !self.late.isEmpty else { return }
            try self.late.remove(at: number % self.late.count)(self)
        case .server(let act): try self.perform(act)
        }
        for device in self.devices { try self.follow(device) }
    }

    private func perform(_ act: SimulationStep.DeviceAct, on device: SimulatedDevice) throws {
        guard device.process.client.hasServer || !act.isSync else { return }
        switch act {
        case .begin(let collection): try self.begin(device, collection)
        case .sync(let collection): try self.sync(device, collection)
        case .persist(let collection) where self.server.lesser != nil: try self.sync(device, collection)
        case .persist(let collection): try self.persist(device, collection)
        case .carry(let number, let fate): try self.carry(device, number, fate)
        case .wake(let collection): try self.wake(device, collection)
        case .renew where device.running != nil: try self.renewAll(device)
        case .renew(let collection): try self.renew(device, collection)
        case .restart: try self.restart(device)
        case .hand(let client): try self.hand(device, to: client)
        case .respell: try self.respell(device)
        case .fail(let writes): self.fail(device, after: writes, isCrash: false)
        case .crash(let writes): self.fail(device, after: writes, isCrash: true)
        case .clock(let seconds):
            device.running?.forgetWaits(at: device.clock.now)
            device.clock.advance(by: .seconds(seconds))
            if seconds < 0 {
                device.running?.forgetAllWaits()
                // A sync that was due before may still wait for its turn.
                device.running?.disturb()
            }
            device.running?.forget(at: device.clock.now)
        case .run: try self.run(device)
        case .stop:
            device.running?.hangUp()
            (device.running, device.isToRun) = (nil, false)
        case .later(let milliseconds): try self.pass(.milliseconds(milliseconds), on: device)
        case .offline: try self.connect(device, false)
        case .online: try self.connect(device, true)
        case .hear(let fate): try self.hear(fate, on: device)
        case .account(let isOther):
            // A POST that was made before the store belonged to an account names none.
            let isUnbound = device.device.outbox.contains { $0.request.cursor == nil && !$0.request.uploads.isEmpty }
            device.isElsewhere = isOther && device.hasAccount && !isUnbound
        case .copy: try self.copy(device)
        case .create, .type, .clear, .append, .drop, .insert, .move, .put, .draft, .save, .add, .delete, .point,
            .transact, .amend, .undo, .redo, .release, .resign, .restore, .restoreLost, .look, .decide, .resolve:
            try self.act(act, on: device)
        }
    }

    // MARK: Inputs

    /// Gives an input to an engine, and checks the result.
    ///
    /// - Parameters:
    ///   - codes: The errors that the engine may throw if the input does not apply.
    ///   - word: The word that the input writes.
    ///   - source: The source of the input.
    /// - Returns: Whether the input was accepted. It is not if the store failed on request, or if the engine refused it.
    @discardableResult
    func input(
        _ device: SimulatedDevice, _ collection: String, unless codes: [TidemarkError.Code] = [],
        wants word: Int? = nil, from source: Source = .app,
        _ body: (SyncEngine) throws(TidemarkError) -> [SyncEffect]
    ) throws -> Bool {
        let sent = device.device.outbox.count
        var wasTaken = true
        var effects: [SyncEffect] = []
        let isJoin = device.awaited[collection] != nil
        device.inputs += 1
        if let word { device.pending[word] = collection }
        do throws(TidemarkError) {
            try device.device.run { (engine) throws(TidemarkError) in
                effects = try body(engine)
                return effects
            }
        } catch {
            wasTaken = false
            self.tell?("    \(device.name): \(error.message)")
            if let word { device.pending[word] = nil }
            try SimulationViolation.unless(
                device.store.hasFailed || codes.contains(error.code), "R24", "an input is refused with “\(error.code)”",
                error.message)
        }
        self.tellLoop(of: device, collection, source, wasTaken ? effects : nil, isJoin: isJoin)
        for case .released(let other) in effects where wasTaken { device.running?.release(other, device.clock.now) }
        for outgoing in device.device.outbox.dropFirst(sent) { try self.look(at: outgoing, of: device) }
        try self.look(at: device, collection, isVoid: !wasTaken)
        try self.checkReports(of: device)
        try self.checkOutcomes(of: device)
        if device.store.hasFailed {
            device.store.failNoMore()
            if device.isCrashing { try self.restart(device) }
        }
        return wasTaken
    }

    private func fail(_ device: SimulatedDevice, after writes: Int, isCrash: Bool) {
        device.store.failNextWrite(after: writes, with: TidemarkError(.storeFull, "The disk is full."))
        device.isCrashing = isCrash
    }

    /// Restarts the process. It no longer waits for answers, and requests in flight may arrive.
    func restart(_ device: SimulatedDevice) throws {
        device.configuration = self.laterConfiguration
        let left = try device.device.restart(configuration: self.configuration(of: device.process.client, on: device))
        if let server = self.server.lesser {
            self.endExchanges(left, of: device, with: server)
        } else {
            for sent in left { self.arriveLate(sent.request, device) }
        }
        self.answers.removeAll { $0.device === device && $0.process == device.process }
        device.process.number = self.nextProcess()
        self.endRequests(of: device)
        device.waits = [:]
        device.lookedAt = [:]
        device.drafts = [:]
        device.counting = nil
        device.history = SimulatedHistory()
        device.discards = 0
        guard let run = device.running else { return }
        run.hangUp()
        (device.running, device.isToRun) = (nil, true)
    }

    /// A new engine awaits no answer.
    func endRequests(of device: SimulatedDevice) {
        device.awaited = [:]
        device.former = []
        (device.refusedNow, device.ringNow) = ([:], [:])
        device.isCrashing = false
    }

    /// Copies a device. A pending change is then pending on both, and both send it, so no copy is made while a counter is
    /// pending.
    private func copy(_ device: SimulatedDevice) throws {
        let waiting = try device.store.records(
            in: SimulationSetting.counts, states: [.edited, .created, .deleted], after: nil, limit: 100)
        guard self.devices.count < SimulationStep.deviceNames.count, waiting.isEmpty, device.process.client == .owner
        else { return }
        let copy = try device.copied(index: self.devices.count, seed: self.generator.next())
        self.transcript?.follow(copy.device)
        self.devices.append(copy)
        // One device may discard or remove a value, and the other device still sends it.
        for collection in SimulationSetting.collections {
            for record in try copy.store.records(in: collection, states: [.created, .edited], after: nil, limit: 1_000)
            {
                let place = SimulationStep.Place(collection: collection, pk: record.pk)
                self.sentTwice.insert(place)
                if record.phase.state == .created { self.hands[place, default: []].insert(copy.index) }
            }
        }
    }

    /// Ends the exchanges in progress, so that no task of a remote is left.
    func close() {
        for exchange in self.devices.flatMap(\.exchanges.values) { exchange.end() }
    }

    // MARK: The server

    private func perform(_ act: SimulationStep.ServerAct) throws {
        switch act {
        case .restart: try self.server.restart()
        case .backup: try self.server.backUp()
        case .restore: try self.losing { try self.server.putBack() }
        case .anew: try self.losing { try self.server.setUpAnew() }
        case .clock(let seconds): self.server.moveClock(by: .seconds(seconds))
        case .room(let rows, let bytes): try self.server.giveRoom(rows: rows, bytes: bytes)
        case .trouble(let trouble): self.server.trouble = trouble
        case .purge(let days):
            for clock in [self.server.clock] + self.devices.map(\.clock) { clock.advance(by: .seconds(days * 86_400)) }
            // Beyond the horizon no message is in flight, and an unsettled upload is recognized by its content (R18).
            self.late = []
            if try self.hasUnsettledCounters() { self.isSumKnown = false }
            self.givenUp = [:]
            for device in self.devices {
                for collection in SimulationSetting.collections {
                    self.forgottenUploads.formUnion(try self.unsettledUploads(of: device, in: collection))
                }
            }
            try self.server.purge()
        }
    }

    private func hasUnsettledCounters() throws -> Bool {
        try self.devices.contains { try !self.unsettledUploads(of: $0, in: SimulationSetting.counts).isEmpty }
    }

    /// The ids of the uploads of a device that have no result yet.
    func unsettledUploads(of device: SimulatedDevice, in collection: String) throws -> Set<String> {
        let pending = try device.store.records(
            in: collection, states: [.edited, .created, .deleted], after: nil, limit: 1_000)
        return Set(pending.compactMap { $0.upload?.requestID })
    }

    /// Rolls the server back. Lost values that a device had confirmed have to appear again (I1, Contract §6). Values whose
    /// acknowledgement never reached their device are pending again.
    private func losing(_ body: () throws -> Void) throws {
        let before = self.server.ledger.words
        try body()
        let lost = before.subtracting(self.server.ledger.words)
        self.isSumKnown = false
        self.givenUp = [:]
        for device in self.devices {
            for collection in SimulationSetting.collections {
                for record in try device.store.records(
                    in: collection, states: Set(SyncState.allCases), after: nil, limit: 1_000)
                {
                    if [.synced, .edited].contains(record.phase.state) {
                        self.lostByServer.formUnion(lost.intersection(SimulatedWords.found(in: record.confirmed.data)))
                    }
                    let unsent = SimulatedWords.found(in: record.upload?.edit)
                        .union(SimulatedWords.found(in: record.editedData))
                    for word in unsent.intersection(lost) where !device.takenBack.contains(word) {
                        device.pending[word] = collection
                    }
                }
            }
        }
    }
}

/// FNV-1a over all events, so that two runs can be compared by one number. It is not cryptographic.
package struct SimulationDigest {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { self.state = (self.state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        // A separator between two texts.
        self.state = (self.state ^ 0xFF) &* 0x0000_0100_0000_01B3
    }

    package mutating func add(_ text: String) { self.add(text.utf8) }

    package var text: String {
        let digits = String(self.state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkSimulation
import TidemarkTesting

/// A run of a script over a server that does less: the devices, the server, and the model that checks them.
///
/// The steps are those of ``Simulation``, of which some do nothing here. A step that delivers a message delivers one request of
/// an exchange, so that other devices write between the read and the write of a record.
final class LesserRun {
    /// A request whose device no longer waits.
    struct Late {
        var device: LesserDevice
        var request: LesserServer.Request
        /// The words of the rows that its exchange has read.
        var read: [SimulationStep.Place: Set<Int>]
    }

    let form: LesserForm
    let capabilities: RemoteCapabilities
    var server: LesserServer
    private(set) var devices: [LesserDevice] = []
    private let configuration: SyncConfiguration
    var late: [Late] = []
    var requests = 0
    var digest = SimulationDigest()
    var tally = LesserTally()

    /// Called with a line of text for each event.
    var tell: ((String) -> Void)?

    /// Every version of each row. A device may have no other data (I4).
    var versions: [SimulationStep.Place: Set<StoredVersion>] = [:]

    /// Every acknowledged word.
    var acknowledged: Set<Int> = []

    /// The edits that the server refuses for their content, and those that it has accepted.
    private var refused: Set<String> = []
    private var accepted: Set<String> = []

    init(_ setting: SimulationSetting, _ form: LesserForm, _ transcript: SimulationTranscript? = nil) throws {
        self.form = form
        self.capabilities = form.capabilities
        self.server = LesserServer(form, seed: setting.seed)
        self.configuration = try setting.configuration(nil, isFirst: false)
        for index in 0..<setting.devices {
            let clock = ManualClock()
            let device = try Device(
                SimulationStep.deviceNames[index], seed: setting.seed &+ UInt64(index), clock: clock,
                configuration: self.configuration, capabilities: self.capabilities)
            transcript?.follow(device)
            self.devices.append(LesserDevice(device, clock))
        }
    }

    /// Performs one step.
    func perform(_ step: SimulationStep) async throws {
        self.tell?(step.text)
        switch step {
        case .device(let index, let act):
            if index < self.devices.count { try await self.perform(act, on: self.devices[index]) }
        case .late(let number):
            if !self.late.isEmpty { try self.arrive(self.late.remove(at: number % self.late.count)) }
        case .server(.clock(let seconds)) where seconds > 0: self.server.advance(by: seconds * 1_000)
        case .server, .answer: break
        }
    }

    private func perform(_ act: SimulationStep.DeviceAct, on device: LesserDevice) async throws {
        switch act {
        case .begin(let collection): try await self.begin(device, collection)
        case .sync(let collection), .persist(let collection): try await self.sync(device, collection)
        case .carry(let number, let fate): try await self.carry(device, number, fate)
        case .wake(let collection):
            guard let time = device.device.wakes[collection] else { return }
            if device.clock.now < time { device.clock.set(to: time) }
            let now = device.clock.now
            try await self.input(device, collection) { (engine) throws(TidemarkError) in
                try engine.wake(collection, now: now)
            }
        case .renew(let collection): try await self.renew(device, collection)
        case .restart: try await self.restart(device)
        case .clock(let seconds): device.clock.advance(by: .seconds(seconds))
        case _: try await self.act(act, on: device)
        }
    }

    // MARK: Inputs

    /// Gives an input to an engine, begins the exchanges that follow from it, and checks the result.
    ///
    /// - Parameters:
    ///   - codes: The errors that the engine may throw if the input does not apply.
    ///   - word: The word that the input writes.
    /// - Returns: Whether the input was accepted.
    @discardableResult
    func input(
        _ device: LesserDevice, _ collection: String, unless codes: Set<TidemarkError.Code> = [],
        wants word: Int? = nil, _ body: (SyncEngine) throws(TidemarkError) -> [SyncEffect]
    ) async throws -> Bool {
        do throws(TidemarkError) {
            try device.device.run(body)
        } catch {
            guard codes.contains(error.code) else {
                throw SimulationViolation("R24", "an input is refused with “\(error.code)”", error.message)
            }
            return false
        }
        if let word { device.pending[word] = collection }
        while !device.device.outbox.isEmpty {
            let outgoing = device.device.outbox.removeFirst()
            try self.check(outgoing.request, of: device)
            device.flights.append(await LesserFlight(outgoing, self.form))
        }
        try self.look(at: device, collection)
        return true
    }

    private func restart(_ device: LesserDevice) async throws {
        for flight in device.flights {
            if let request = flight.request {
                self.late.append(Late(device: device, request: request, read: flight.read))
            }
            await flight.end()
        }
        device.flights = []
        device.lookedAt = [:]
        try device.device.restart()
    }

    func renew(_ device: LesserDevice, _ collection: String) async throws {
        try await self.input(device, collection) { (engine) throws(TidemarkError) in try engine.renew(collection) }
    }

    /// Ends the exchanges, so that no task is left.
    func close() async {
        for device in self.devices { for flight in device.flights { await flight.end() } }
    }

    // MARK: Messages

    private func begin(_ device: LesserDevice, _ collection: String) async throws {
        let now = device.clock.now
        try await self.input(device, collection) { (engine) throws(TidemarkError) in
            try engine.sync(collection, now: now)
        }
    }

    /// The number of requests, besides some for each row, after which a sync counts as endless (I8).
    private static let requestsOfASync = 200

    /// Begins a sync, and delivers its messages until it ends.
    func sync(_ device: LesserDevice, _ collection: String) async throws {
        try await self.begin(device, collection)
        let limit = Self.requestsOfASync + 40 * self.server.stored.count
        var count = 0
        while let number = device.flights.firstIndex(where: { $0.outgoing.request.collection == collection }) {
            count += 1
            guard count <= limit else {
                throw SimulationViolation("I8", "a sync sends requests without an end", "\(device.name), \(collection)")
            }
            try await self.carry(device, number, .whole)
        }
    }

    /// Delivers the waiting request of an exchange, and its answer.
    func carry(_ device: LesserDevice, _ number: Int, _ fate: SimulationStep.RequestFate) async throws {
        guard !device.flights.isEmpty else { return }
        let flight = device.flights[number % device.flights.count]
        if let request = flight.request {
            self.requests += 1
            await flight.answer(try self.outcome(of: request, fate, flight, device))
        }
        guard let result = flight.result else { return }
        device.flights.removeAll { $0 === flight }
        let (outgoing, now) = (flight.outgoing, device.clock.now)
        let collection = outgoing.request.collection
        if case .failure(let failure) = result {
            self.tell?("    \(device.name) hears \(failure.failureClass): \(failure)")
        }
        try await self.input(device, collection) { (engine) throws(TidemarkError) in
            switch result {
            case .success(let answer): try engine.receive(answer, for: outgoing.token, now: now)
            case .failure(let failure): try engine.fail(failure, for: outgoing.token, now: now)
            }
        }
        if case .success(let answer) = result, answer.failure == nil {
            try self.check(device, after: answer, of: collection, flight.rows)
        }
    }

    private func outcome(
        of request: LesserServer.Request, _ fate: SimulationStep.RequestFate, _ flight: LesserFlight,
        _ device: LesserDevice
    ) throws -> Result<[HTTPAnswer], RemoteFailure> {
        let silence = Result<[HTTPAnswer], RemoteFailure>.failure(RemoteFailure(.offline, "No answer came."))
        func answers(_ answer: HTTPAnswer) -> Result<[HTTPAnswer], RemoteFailure> {
            .success(Array(repeating: answer, count: request.count))
        }
        func serve() throws -> [HTTPAnswer] { try self.serve(request, flight, flight.read, device) }
        switch fate {
        case .whole, .slow: return .success(try serve())
        case .twice:
            let first = try serve()
            _ = try self.serve(request, nil, flight.read, device)
            return .success(first)
        case .lost: return silence
        case .late:
            self.late.append(Late(device: device, request: request, read: flight.read))
            return silence
        case .answerLost:
            _ = try serve()
            return silence
        case .cut(let count):
            return .success(
                try serve().map {
                    HTTPAnswer(
                        status: $0.status, fields: $0.fields, body: Array($0.body.prefix(count % max($0.body.count, 1)))
                    )
                })
        case .status(let status): return answers(HTTPAnswer(status: status))
        case .statusAfter(let status):
            _ = try serve()
            return answers(HTTPAnswer(status: status))
        case .rest(let seconds):
            return answers(HTTPAnswer(status: 503, fields: [(name: "Retry-After", value: "\(seconds)")]))
        case .html:
            return answers(
                HTTPAnswer(
                    status: 200, fields: [(name: "Content-Type", value: "text/html")],
                    body: Array("<html><body>Sign in</body></html>".utf8)))
        case .redirect:
            return answers(HTTPAnswer(status: 302, fields: [(name: "Location", value: "https://portal.example/")]))
        case .busy: return answers(HTTPAnswer(status: 202))
        case .refuse(let number):
            if case .write(let writes) = request {
                let id = writes[number % writes.count].requestID
                if !self.accepted.contains(id) { self.refused.insert(id) }
            }
            return .success(try serve())
        }
    }

    /// A request arrives whose device no longer waits.
    func arrive(_ late: Late) throws {
        _ = try self.serve(late.request, nil, late.read, late.device)
    }

    /// - Parameters:
    ///   - flight: The exchange that gets the answer; nil if its device has given up the request, or gets the answer to another
    ///     copy.
    ///   - read: The words of the rows that the exchange has read before.
    private func serve(
        _ request: LesserServer.Request, _ flight: LesserFlight?, _ read: [SimulationStep.Place: Set<Int>],
        _ device: LesserDevice
    ) throws -> [HTTPAnswer] {
        let isCopy = flight == nil
        let answers: [HTTPAnswer]
        switch request {
        case .changes(let collection, let since, let limit):
            answers = [self.server.list(collection, since: since, limit: limit)]
            flight?.rows = self.server.stored
        case .row(let place):
            answers = [self.server.row(place)]
            flight?.read[place] = SimulatedWords.found(in: answers[0].body)
        case .write(let writes):
            answers = try writes.map { try self.write($0, device, over: read[$0.place], isCopy: isCopy) }
        }
        self.tell?("    \(device.name)\(isCopy ? " (a copy)" : "") asks: \(request)")
        for answer in answers {
            self.digest.add(answer.body)
            self.tell?("    the server: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        return answers
    }

    private func write(
        _ write: LesserServer.Write, _ device: LesserDevice, over read: Set<Int>?, isCopy: Bool
    ) throws -> HTTPAnswer {
        if self.refused.contains(write.requestID) {
            return HTTPAnswer(status: 422, body: Array(#"{"title":"Not taken"}"#.utf8))
        }
        if let former = device.writes.updateValue(write, forKey: write.requestID), former != write {
            throw SimulationViolation(
                "I5", "an edit is translated in two ways", "\(write.place.text) on \(device.name)")
        }
        let (answer, effect) = self.server.write(write)
        guard let effect else { return answer }
        self.accepted.insert(write.requestID)
        let stored = self.server.stored[write.place] ?? StoredVersion()
        self.versions[write.place, default: []].insert(stored)
        self.acknowledged.formUnion(SimulatedWords.found(in: stored.data))
        try self.check(effect, of: write, by: device, over: read, isCopy: isCopy)
        return answer
    }
}

extension LesserServer.Request: CustomStringConvertible {
    var description: String {
        switch self {
        case .changes(let collection, let since, let limit):
            "changes of \(collection) since \(since.map { "\($0)" } ?? "the start"), at most \(limit)"
        case .row(let place): "the row \(place.text)"
        case .write(let writes):
            writes.map { write in
                let verb = write.body == nil ? "delete" : write.isPatch ? "patch" : "put"
                return "\(verb) \(write.place.text) over \(write.base ?? "nothing") \(write.body?.text ?? "")"
            }.joined(separator: ", ")
        }
    }

    /// The number of its answers.
    fileprivate var count: Int {
        if case .write(let writes) = self { writes.count } else { 1 }
    }
}

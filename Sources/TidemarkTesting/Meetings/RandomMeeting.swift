public import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// A meeting in which a seed decides what happens next: edits, crashes, and messages that are lost, repeated or late.
///
/// Whatever it was, all agree in the end (I3), and what was typed last reached the server or is in a journal (I2): with your
/// own tactic and rules as well.
///
/// ```swift
/// for seed in 1...100 as ClosedRange<UInt64> {
///     let meeting = try RandomMeeting(seed: seed)
///     try meeting.run(steps: 300)
///     #expect(try meeting.mistake() == nil, "seed \(seed)")
/// }
/// ```
public final class RandomMeeting {
    private static let pks = ["a", "b", "c"]
    private static let fields = ["x", "y"]

    /// An answer on its way to a device.
    private struct Incoming {
        var device: Int
        var token: ExchangeToken
        var outcome: Result<ExchangeAnswer, RemoteFailure>
    }

    /// The devices and the server.
    public let meeting: Meeting
    private var generator: SeededGenerator
    private var incoming: [Incoming] = []
    private var ghosts: [ExchangeRequest] = []
    private var counter = 0

    /// Everything that happened, to compare two runs byte for byte.
    public private(set) var log: [String] = []

    /// What each device typed and did not take back itself, by pk and field: the last word of each device.
    public private(set) var typed: [String: [Int: String]] = [:]

    /// How often someone waited for the outcome of a write.
    public private(set) var waits = 0

    /// Every value that the server ever had.
    public private(set) var shown: Set<String> = []

    /// Makes a meeting of two devices.
    ///
    /// - Parameters:
    ///   - seed: Decides everything: the same seed gives the same bytes.
    ///   - configuration: What decides conflicts on each device, and all limits.
    public init(seed: UInt64, configuration: SyncConfiguration = SyncConfiguration()) throws {
        self.meeting = try Meeting(configuration: configuration)
        self.generator = SeededGenerator(seed: seed)
    }

    /// Lets so many things happen, and then everything arrive and all be quiet.
    public func run(steps: Int) throws {
        for _ in 0..<steps { try self.step() }
        try self.calmDown()
    }

    private func chance(_ count: Int) -> Int {
        Int.random(in: 0..<count, using: &self.generator)
    }

    private func note(_ line: String) {
        self.log.append(line)
    }

    private func step() throws {
        let index = self.chance(self.meeting.devices.count)
        let device = self.meeting.devices[index]
        switch self.chance(21) {
        case 20: try self.resign(on: index)
        case 0..<6: try self.type(on: index)
        case 6..<10: try self.begin(device)
        case 10..<15: try self.deliver(from: index)
        case 15..<18: try self.answer()
        case 18: try self.restart(index)
        default: self.deliverGhost()
        }
    }

    // MARK: What happens

    private func type(on index: Int) throws {
        let device = self.meeting.devices[index]
        let pk = Self.pks[self.chance(Self.pks.count)]
        self.counter += 1
        let value = "\(device.name)-\(self.counter)"
        let field = Self.fields[self.chance(Self.fields.count)]
        switch (try device.view(pk) != nil, self.chance(8)) {
        case (true, 0):
            try device.delete(pk)
            for field in Self.fields { self.typed["\(pk)/\(field)", default: [:]][index] = nil }
            self.note("\(device.name) deletes \(pk)")
        case (true, _):
            try device.edit(pk) { $0[field] = .string(JSONString(value)) }
            self.typed["\(pk)/\(field)", default: [:]][index] = value
            self.note("\(device.name) types \(value) into \(pk)/\(field)")
        case (false, _):
            try device.create(.object(JSONObject([(field, .string(JSONString(value)))])), pk: pk)
            self.typed["\(pk)/\(field)", default: [:]][index] = value
            self.note("\(device.name) makes \(pk) with \(value) in \(field)")
        }
        if case .awaited = try device.engine.awaitOutcome(of: pk, in: Meeting.collection) { self.waits += 1 }
    }

    /// What was typed and not confirmed is given up; it has to be in the journal then.
    private func resign(on index: Int) throws {
        let device = self.meeting.devices[index]
        let pk = Self.pks[self.chance(Self.pks.count)]
        guard try device.phase(pk).activity != nil else { return }
        try device.run { (engine) throws(TidemarkError) in try engine.resign(pk, in: Meeting.collection) }
        self.note("\(device.name) resigns \(pk)")
    }

    private func begin(_ device: Device) throws {
        self.meeting.server.clock.advance(by: .seconds(400))
        try device.sync(Meeting.collection)
        self.note("\(device.name) syncs")
    }

    /// A request reaches the server once, twice, or not at all.
    private func deliver(from index: Int) throws {
        let device = self.meeting.devices[index]
        guard !device.outbox.isEmpty else { return }
        let sent = device.outbox.removeFirst()
        let fate = self.chance(10)
        guard fate > 1 else {
            if fate == 0 { self.ghosts.append(sent.request) }
            self.incoming.append(Incoming(device: index, token: sent.token, outcome: .failure(Self.timeout)))
            return self.note("lost: \(Self.text(sent.request))")
        }
        for _ in 0..<(fate == 2 ? 2 : 1) {
            self.incoming.append(
                Incoming(device: index, token: sent.token, outcome: self.serve(sent.request)))
        }
    }

    private func serve(_ request: ExchangeRequest) -> Result<ExchangeAnswer, RemoteFailure> {
        self.meeting.server.clock.advance(by: .milliseconds(1))
        do throws(RemoteFailure) {
            let answer = try self.meeting.remote.exchangeNow(request)
            self.note("\(Self.text(request)) → \(String(decoding: answer.page.bytes, as: UTF8.self))")
            self.look()
            return .success(answer)
        } catch {
            self.note("\(Self.text(request)) → \(error)")
            return .failure(error)
        }
    }

    /// An answer reaches its device, or is lost. Any of those on their way may be the first.
    private func answer() throws {
        guard !self.incoming.isEmpty else { return }
        let message = self.incoming.remove(at: self.chance(self.incoming.count))
        let isLost = self.chance(8) == 0
        try self.hand(message, isLost ? .failure(Self.timeout) : message.outcome)
    }

    private func hand(_ message: Incoming, _ outcome: Result<ExchangeAnswer, RemoteFailure>) throws {
        let device = self.meeting.devices[message.device]
        switch outcome {
        case .success(let answer): try device.receive(answer, for: message.token)
        case .failure(let failure): try device.fail(failure, for: message.token)
        }
        self.note("\(device.name) hears of \(message.token.number)")
    }

    private func restart(_ index: Int) throws {
        let device = self.meeting.devices[index]
        self.ghosts += try device.restart().map(\.request)
        self.note("\(device.name) is killed and started")
        // An answer for an earlier process finds no one.
        self.incoming.removeAll { $0.device == index }
    }

    private func deliverGhost() {
        guard !self.ghosts.isEmpty else { return }
        _ = self.serve(self.ghosts.remove(at: self.chance(self.ghosts.count)))
    }

    // MARK: The end

    /// Everything on its way arrives, and everyone syncs until all are quiet.
    private func calmDown() throws {
        while !self.ghosts.isEmpty { _ = self.serve(self.ghosts.removeFirst()) }
        while !self.incoming.isEmpty {
            let message = self.incoming.removeFirst()
            try self.hand(message, message.outcome)
        }
        for _ in 0..<3 {
            for (index, device) in self.meeting.devices.enumerated() {
                self.meeting.server.clock.advance(by: .seconds(400))
                try device.sync(Meeting.collection)
                while !device.outbox.isEmpty {
                    let sent = device.outbox.removeFirst()
                    let outcome = self.serve(sent.request)
                    try self.hand(Incoming(device: index, token: sent.token, outcome: outcome), outcome)
                }
            }
        }
    }

    /// Remembers what the server has now.
    private func look() {
        for pk in Self.pks {
            guard let record = try? self.meeting.onServer(pk) else { continue }
            for field in Self.fields {
                if let value = record[field]?.string { self.shown.insert("\(pk)/\(field)=\(value)") }
            }
        }
    }

    private static let timeout = RemoteFailure(.offline, "no answer came in time")

    private static func text(_ request: ExchangeRequest) -> String {
        let edits = request.uploads.map(\.description).joined(separator: ",")
        return "\(request.watermark ?? "start") [\(edits)]"
    }
}

// MARK: - What must hold

extension RandomMeeting {
    /// What is not as it has to be (I2, I3); nil when all is.
    public func mistake() throws -> String? {
        try self.disagreement() ?? self.lostWord()
    }

    /// I3: every device's view equals the server's, and nothing is pending.
    public func disagreement() throws -> String? {
        for pk in Self.pks {
            let server = try self.meeting.onServer(pk)
            for device in self.meeting.devices {
                let phase = try device.phase(pk)
                guard phase == .synced || phase == .absent else { return "\(pk) on \(device.name) is \(phase)" }
                let view = try device.view(pk)
                guard view == server else {
                    return "\(pk) on \(device.name) is \(view?.text ?? "gone"), on the server \(server?.text ?? "gone")"
                }
            }
        }
        return nil
    }

    /// I2: what a device typed last in a field reached the server at some time, or is in a journal.
    public func lostWord() throws -> String? {
        var journalled: Set<String> = []
        for device in self.meeting.devices {
            for entry in try device.journal() {
                guard let bytes = entry.raw.value else { continue }
                let value = try JSON(parsing: bytes)
                if let string = value.string { journalled.insert("\(entry.pk)\(entry.path)=\(string)") }
                for field in Self.fields {
                    if let string = value[field]?.string { journalled.insert("\(entry.pk)/\(field)=\(string)") }
                }
            }
        }
        for (place, words) in self.typed {
            for (device, word) in words {
                let line = "\(place)=\(word)"
                guard self.shown.contains(line) || journalled.contains(line) else {
                    return "\(self.meeting.devices[device].name) typed \(line); it is nowhere"
                }
            }
        }
        return nil
    }
}

import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// A meeting of three devices that only add to counters, while a seed decides what fails: messages get lost on either way,
/// come twice or late, servers are busy, processes end, records are held and go on.
///
/// What the counters come to is known beforehand, whatever the order: every difference is counted once (I9).
final class CountingMeeting {
    private static let pks = ["a", "b"]

    let meeting: Meeting
    private var generator: SeededGenerator
    private var ghosts: [ExchangeRequest] = []

    /// What each counter has to come to.
    private(set) var sums: [String: Int] = [:]

    /// Everything that happened.
    private(set) var log: [String] = []

    /// How often a record was held with its upload.
    private(set) var holds = 0

    init(seed: UInt64) throws {
        var configuration = SyncConfiguration(rules: .init(fields: try FieldRules([("/n", .sum)])))
        configuration.limits.loneFailures = 2
        self.meeting = try Meeting(devices: ["phone", "tablet", "laptop"], configuration: configuration)
        self.generator = SeededGenerator(seed: seed)
        for pk in Self.pks {
            try self.meeting.phone.create(["n": 0], pk: pk)
            self.sums[pk] = 0
        }
        try self.meeting.settle()
    }

    func run(steps: Int) throws {
        for _ in 0..<steps { try self.step() }
        try self.calmDown()
    }

    /// What is not as it has to be; nil when all is.
    func mistake() throws -> String? {
        for pk in Self.pks {
            let sum = self.sums[pk, default: 0]
            let server = try self.meeting.onServer(pk)?.n?.text
            guard server == "\(sum)" else { return "\(pk) is \(server ?? "gone") on the server, and not \(sum)" }
            for device in self.meeting.devices {
                let view = try device.view(pk)?.n?.text
                guard view == server, try device.phase(pk) == .synced else {
                    return "\(pk) on \(device.name) is \(view ?? "gone"), \(try device.phase(pk)), and not \(sum)"
                }
            }
        }
        return nil
    }

    // MARK: What happens

    private func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self.generator) }

    private func note(_ line: String) { self.log.append(line) }

    private func step() throws {
        let device = self.meeting.devices[self.chance(self.meeting.devices.count)]
        switch self.chance(16) {
        case 0..<4: try self.add(device)
        case 4..<13: try self.exchange(device)
        case 13: try self.release(device)
        case 14: try self.restart(device)
        default: self.deliverGhost()
        }
    }

    /// The same few numbers again and again, so that different devices often add the very same.
    private func add(_ device: Device) throws {
        let pk = Self.pks[self.chance(Self.pks.count)]
        let number = [1, 1, 20][self.chance(3)]
        self.sums[pk, default: 0] += number
        try device.edit(pk) { $0.n = .number(JSONNumber((Int($0.n?.text ?? "") ?? 0) + number)) }
        self.note("\(device.name) adds \(number) to \(pk)")
    }

    private func exchange(_ device: Device) throws {
        if device.outbox.isEmpty {
            self.meeting.server.clock.advance(by: .seconds(400))
            try device.sync(Meeting.collection)
        }
        guard !device.outbox.isEmpty else { return }
        let sent = device.outbox.removeFirst()
        let isPost = !sent.request.uploads.isEmpty
        self.note("\(device.name): \(isPost ? "POST" : "GET")")
        switch self.chance(isPost ? 10 : 14) {
        case 0, 1:
            self.note("… which the server is too busy for")
            try device.fail(RemoteFailure(.busy, "later"), for: sent.token)
        case 2:
            self.note("… of which the answer is lost")
            _ = try? self.meeting.remote.exchangeNow(sent.request)
            try device.fail(RemoteFailure(.offline, "no answer"), for: sent.token)
        case 3:
            self.note("… which is late")
            self.ghosts.append(sent.request)
            try device.fail(RemoteFailure(.offline, "no answer"), for: sent.token)
        case 4:
            self.note("… which arrives twice")
            _ = try? self.meeting.remote.exchangeNow(sent.request)
            try device.hear(self.meeting.remote, sent)
        default: try device.hear(self.meeting.remote, sent)
        }
        for pk in Self.pks where try device.snapshot(pk)?.raw.upload != nil {
            if try device.phase(pk).activity == .held { self.holds += 1 }
        }
    }

    private func release(_ device: Device) throws {
        for pk in Self.pks where try device.phase(pk).activity == .held {
            try device.run { (engine) throws(TidemarkError) in try engine.release(pk, in: Meeting.collection) }
            self.note("\(device.name) releases \(pk)")
        }
    }

    private func restart(_ device: Device) throws {
        self.ghosts += try device.restart().map(\.request)
        self.note("\(device.name) is killed and started")
    }

    private func deliverGhost() {
        guard !self.ghosts.isEmpty else { return }
        _ = try? self.meeting.remote.exchangeNow(self.ghosts.remove(at: self.chance(self.ghosts.count)))
        self.note("a late request arrives")
    }

    /// Everything late arrives, what is held goes on, and everyone syncs until all are quiet.
    private func calmDown() throws {
        while !self.ghosts.isEmpty { self.deliverGhost() }
        for _ in 0..<4 {
            for device in self.meeting.devices {
                try self.release(device)
                self.meeting.server.clock.advance(by: .seconds(400))
                try self.meeting.sync(device)
            }
        }
    }
}

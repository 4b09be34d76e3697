import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkTesting
import TidemarkWire

@Suite("A server on a disk that breaks")
struct ServerCrashPointTests {
    /// A server on a disk, which may break, and two devices on working ones.
    private final class World {
        private let devices: [Device]
        private let clock: ManualClock
        private var core: ServerCore?
        private var runs = 0
        /// Whether the process has ended, as a client sees it.
        private let isOver: () -> Bool
        private(set) var counted = 0
        private(set) var hasFailed = false

        init(isOver: @escaping () -> Bool) throws {
            self.isOver = isOver
            let clock = ManualClock()
            self.clock = clock
            self.devices = try ["phone", "tablet"].enumerated().map { index, name in
                try Device(name, seed: UInt64(index), clock: clock, configuration: Phone.configuration())
            }
        }

        /// Starts a process on the file.
        func start(_ file: String) throws {
            self.runs += 1
            self.core = try Self.core(file, run: "run-\(self.runs)", clock: self.clock)
        }

        private static func core(_ file: String, run: String, clock: ManualClock) throws -> ServerCore {
            let storage = try SQLiteServerStorage(.file(file), epoch: { "e" }, run: { run })
            return ServerCore(storage: storage, now: { clock.microseconds })
        }

        func stop() {
            self.core = nil
        }

        /// The answer to a request; no client receives the answer of a process that has ended.
        private func answer(_ request: ExchangeRequest) throws(RemoteFailure) -> ExchangeAnswer {
            guard let core = self.core, !self.isOver() else { throw RemoteFailure(.offline, "no server listens") }
            let wire = WireRequest(request)
            let response = core.handle(
                ServerRequest(
                    method: wire.method, target: "/v1\(wire.target)", headers: wire.headers.map { ($0.name, $0.value) },
                    body: wire.body ?? []))
            guard !self.isOver() else { throw RemoteFailure(.offline, "the answer was cut off") }
            return try WireAnswer.decode(
                status: response.status, header: { response.header($0) }, body: response.body, request: request)
        }

        private func sync(_ device: Device) throws {
            self.clock.advance(by: .seconds(3_600))
            try device.sync(Phone.collection)
            while !device.outbox.isEmpty {
                let sent = device.outbox.removeFirst()
                do throws(RemoteFailure) {
                    let answer = try self.answer(sent.request)
                    try? device.receive(answer, for: sent.token)
                } catch {
                    self.hasFailed = true
                    try? device.fail(error, for: sent.token)
                }
            }
        }

        /// Both devices create, increment and delete, and sync.
        func day() throws {
            for round in 0..<3 {
                for device in self.devices {
                    for pk in ["a", "b"] where try device.view(pk) == nil {
                        try device.create(["count": 0, "by": .string(JSONString(device.name))], pk: pk)
                    }
                    try device.edit("a") { $0["count"] = .number(JSONNumber(($0["count"]?.int ?? 0) + 1)) }
                    self.counted += 1
                    try self.sync(device)
                }
                if round == 1 { try self.devices[0].delete("b") }
            }
        }

        /// Checks the state with a new process on a working disk.
        func check(_ file: String) throws {
            try self.start(file)
            defer { self.stop() }
            for _ in 0..<4 { try self.devices.forEach { try self.sync($0) } }
            for pk in ["a", "b"] {
                let views = try self.devices.map { try $0.view(pk) }
                #expect(views[0] == views[1], "I3 \(pk)")
                let response = self.core?.handle(ServerRequest(method: "GET", target: "/v1/\(Phone.collection)/\(pk)"))
                let body = try JSON(parsing: try #require(response).body)
                #expect((response?.status == 200 ? body["data"] : nil) == views[0], "I3 \(pk) on the server")
            }
            #expect(try self.devices[0].view("a")?["count"]?.int == self.counted, "I1")
            for device in self.devices { #expect(try device.engine.unsent().isEmpty) }
        }
    }

    @Test(arguments: BrokenDisk.Fault.allCases)
    func `every sent edit is applied once although the server's disk breaks (W2, W3, W4)`(
        fault: BrokenDisk.Fault
    ) throws {
        let sound = try BrokenDisk()
        let changes = try sound.breaking(fault, at: 0) {
            let world = try World(isOver: { false })
            try world.start(sound.path("s.db"))
            try world.day()
            world.stop()
            #expect(!world.hasFailed)
        }
        #expect(changes > 60)
        var failures = 0
        let places = fault.places(of: changes)
        for change in places {
            let disk = try BrokenDisk()
            let world = try World(isOver: { fault.endsTheProcess && disk.changes >= change })
            try disk.breaking(fault, at: change) {
                try? world.start(disk.path("s.db"))
                try world.day()
                world.stop()
            }
            failures += world.hasFailed ? 1 : 0
            #expect(throws: Never.self, "\(fault) at change \(change) of \(changes)") {
                try world.check(disk.path("s.db"))
            }
        }
        #expect(failures > places.count / 2)
    }
}

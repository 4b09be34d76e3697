import CannedHTTP
import Foundation
import PostgresForTests
import Synchronization

import CSystem

/// The cost of many clients that wait for change notifications, and the delay of a notification (Contract §10).
enum WatchBenchmark {
    private static let commitsPerSecond = 100
    private static let seconds = 10
    /// A commit notifies a hundredth of the clients, as with accounts that have a few devices each.
    private static let collections = 100

    static var all: [Benchmark] { [self.delay(of: 1_000), self.delay(of: 10_000), self.delayBetweenServers] }

    private static func delay(of watches: Int) -> Benchmark {
        Benchmark(
            name: "watch.\(watches)_ms", unit: "ms", against: nil, better: .less,
            summary: """
                the 99th percentile of the time from the sending of a POST to the hint of it, with \(watches) open watches \
                and 100 POSTs a second
                """
        ) { laboratory in
            try IdleBenchmark.raiseLimit(to: watches + 200)
            return try await laboratory.withFolder { folder in
                let file = folder.appendingPathComponent("server.db").path
                let server = try Child(.server, [file, "0", "64"])
                defer { server.end() }
                let port = UInt16(try server.lineAsNumber())
                return try Self.measure(server, port: port, postingTo: port, watches: watches)
            }
        }
    }

    /// One server accepts the POSTs, and the clients wait at another server on the same database.
    private static var delayBetweenServers: Benchmark {
        Benchmark(
            name: "postgres.watch_1000_ms", unit: "ms", against: nil, better: .less,
            summary: """
                the 99th percentile of the time from the sending of a POST to the hint of it by another server on the same \
                PostgreSQL, with 1000 open watches and 100 POSTs a second
                """
        ) { _ in
            try IdleBenchmark.raiseLimit(to: 1_200)
            return try await BarePostgres.withDatabases { server, databases in
                let address = server.address(of: databases[0])
                let (writer, other) = (
                    try Child(.server, [address, "0", "0"]), try Child(.server, [address, "0", "64"])
                )
                defer {
                    writer.end()
                    other.end()
                }
                return try Self.measure(
                    other, port: UInt16(try other.lineAsNumber()), postingTo: UInt16(try writer.lineAsNumber()),
                    watches: 1_000)
            }
        }
    }

    private static func measure(
        _ server: Child, port: UInt16, postingTo writer: UInt16, watches: Int
    ) throws -> Measurement {
        let before = try server.number("memory")
        let readers = try (0..<watches).map { try HintReading(port: port, collection: $0 % Self.collections) }
        let open = try server.number("memory")
        let cpu = try server.number("cpu")
        let delays = try Self.delays(port: writer, readers)
        let spent = try server.number("cpu") - cpu
        let after = try server.number("memory")
        guard !delays.isEmpty else { throw Unavailable("no change notification came") }
        let sorted = delays.sorted()
        let percentile = { (part: Double) in sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)] * 1e3 }
        var measurement = Measurement([percentile(0.99)], clock: .wall)
        measurement.add("p50", percentile(0.5))
        measurement.add("most", percentile(1))
        measurement.add("hints", Double(sorted.count))
        measurement.add("mib_before", before)
        measurement.add("mib_open", open)
        measurement.add("mib_after", after)
        measurement.add("kib_each", (open - before) * 1024 / Double(watches))
        measurement.add("server_cpu_share", spent / Double(Self.seconds))
        return measurement
    }

    /// Posts to one collection after the other, and returns the delay of each notification in seconds.
    private static func delays(port: UInt16, _ readers: [HintReading]) throws -> [Double] {
        let sent = Mutex([Double](repeating: 0, count: self.collections))
        let received = ReceivedHints(readers.map(\.socket)) { index, now in
            now - sent.withLock { $0[index % Self.collections] }
        }
        defer { received.end() }
        let connection = try LoopbackConnection(port: port)
        let start = Stopwatch.wall
        for number in 0..<(self.commitsPerSecond * self.seconds) {
            let due = start + Double(number) / Double(self.commitsPerSecond)
            let pause = due - Stopwatch.wall
            if pause > 0 { usleep(UInt32(pause * 1e6)) }
            let collection = number % self.collections
            sent.withLock { $0[collection] = Stopwatch.wall }
            let edit = PostedBody.creation(requestID: "r\(number)", pk: "\(number)", content: #"{"n":\#(number)}"#)
            guard connection.post("/v1/c\(collection)?limit=1", PostedBody.bytes([edit])) else {
                throw Unavailable("the server did not take a POST")
            }
        }
        // The last notifications are still in flight.
        usleep(500_000)
        received.end()
        withExtendedLifetime(readers) {}
        return received.delays
    }
}

/// The delays of the notifications on many connections. A call of `poll` visits all of them for each few notifications, and then the
/// figure would be that of the clients; so the system reports the readable ones.
private final class ReceivedHints {
    private final class Found: Sendable {
        let delays = Mutex<[Double]>([])
    }

    private let found = Found()
    private let cancelled = DispatchGroup()
    private var sources: [any DispatchSourceRead] = []

    init(_ sockets: [Int32], delay: @escaping @Sendable (Int, Double) -> Double) {
        let queue = DispatchQueue(label: "hints")
        self.sources = sockets.enumerated().map { [found, cancelled] index, socket in
            let source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
            source.setEventHandler {
                // A comment line is not a notification.
                guard let bytes = CannedSocket.read(socket), bytes.contains(UInt8(ascii: "{")) else { return }
                let waited = delay(index, Stopwatch.wall)
                found.delays.withLock { $0.append(waited) }
            }
            cancelled.enter()
            source.setCancelHandler { cancelled.leave() }
            source.resume()
            return source
        }
    }

    /// In seconds.
    var delays: [Double] { self.found.delays.withLock(\.self) }

    /// Reads no more; the sockets may be closed after it.
    func end() {
        for source in self.sources { source.cancel() }
        self.cancelled.wait()
        self.sources = []
    }
}

/// A connection for notifications about one collection. It has received the present cursor.
private final class HintReading {
    let socket: Int32

    init(port: UInt16, collection: Int) throws {
        self.socket = try LoopbackConnection.connected(to: port)
        let request = """
            GET /v1/?watch=c\(collection) HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n
            """
        CannedSocket.write(Array("\(request)\r\n".utf8), to: self.socket)
        var bytes: [UInt8] = []
        while bytes.firstRange(of: Array("}\n\n".utf8)) == nil {
            guard let more = CannedSocket.read(self.socket) else {
                throw Unavailable("the server accepts no more watches")
            }
            bytes += more
            let start = bytes.prefix(Self.welcome.count)
            guard start.elementsEqual(Self.welcome.prefix(start.count)) else {
                throw Unavailable(
                    "the server accepts no more watches: \(String(decoding: bytes.prefix(200), as: UTF8.self))")
            }
        }
    }

    private static let welcome = Array("HTTP/1.1 200 ".utf8)

    deinit { close(self.socket) }
}

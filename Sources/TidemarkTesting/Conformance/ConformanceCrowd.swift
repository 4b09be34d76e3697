import Synchronization
import TidemarkCore
import TidemarkMachine

/// Clients that write and read the same collection at the same time. If a server assigns a version before a commit that takes
/// longer than another one, a reader's cursor passes the version before its row is visible (W3).
final class ConformanceCrowd: Sendable {
    private static let writers = 8
    private static let followers = 2
    private static let posts = 6

    /// The most requests of a client that only reads.
    private static let reads = 200

    /// A client: its cursor, and the records that it has received.
    private struct Reader {
        var name: String
        var cursor: String?
        var seen: Set<String> = []
        var written: Set<String> = []
    }

    private let probe: RemoteProbe
    private let finished = Mutex(0)

    init(_ probe: RemoteProbe) {
        self.probe = probe
    }

    /// Lets the clients write and read, and then read to the end. Throws unless each has received all records.
    func run() async throws {
        let start = try await self.probe.read(from: nil) { _ in }
        let readers = try await withThrowingTaskGroup(of: Reader.self) { group in
            for number in 1...Self.followers {
                group.addTask { try await self.follow(Reader(name: "the reader \(number)", cursor: start)) }
            }
            for number in 1...Self.writers {
                group.addTask {
                    try await self.write(Reader(name: "the writer \(number)", cursor: start), as: "w\(number)")
                }
            }
            return try await group.reduce(into: [Reader]()) { $0.append($1) }
        }
        let written = readers.reduce(into: Set<String>()) { $0.formUnion($1.written) }
        for reader in readers.sorted(by: { $0.name < $1.name }) {
            let rest = try await self.probe.names(from: reader.cursor)
            let missing = written.subtracting(reader.seen).subtracting(rest).sorted()
            guard missing.isEmpty else {
                throw ConformanceFailure(
                    "the rows that \(reader.name) of \(readers.count) received",
                    expected: "all \(written.count) that were accepted",
                    found: "\(written.count - missing.count); \(missing.joined(separator: ", ")) are missing"
                        .cutForEvidence)
            }
        }
    }

    private func write(_ reader: Reader, as name: String) async throws -> Reader {
        defer { self.finished.withLock { $0 += 1 } }
        var reader = reader
        for number in 1...Self.posts {
            let pk = "\(name)-\(number)"
            let edit = self.probe.told(RemoteProbe.create(pk, #"{"n":\#(number)}"#, id: pk), as: nil)
            let answer = try await self.probe.post([edit], cursor: reader.cursor)
            for result in answer.results {
                guard case .accepted = result.outcome else {
                    throw ConformanceFailure(
                        "the edit \(ConformanceWords.name(of: edit)), while other clients write,",
                        expected: "to be accepted",
                        found: ConformanceWords.text(of: result.outcome))
                }
                reader.written.insert(result.name ?? pk)
            }
            reader.seen.formUnion(reader.written)
            self.take(answer, by: &reader)
        }
        return reader
    }

    private func follow(_ reader: Reader) async throws -> Reader {
        var reader = reader
        for _ in 1...Self.reads where self.finished.withLock({ $0 < Self.writers }) {
            self.take(try await self.probe.get(reader.cursor, limit: 7), by: &reader)
        }
        return reader
    }

    private func take(_ answer: ExchangeAnswer, by reader: inout Reader) {
        let page = answer.page
        for row in page.rows { reader.seen.insert(page.name(of: row) ?? page.pk(of: row)) }
        reader.cursor = answer.cursor
    }
}

import GeneratedRows
import Tidemark

/// Tasks, with a client's and a server's version of each: three changed fields on each side.
struct TaskVersions {
    /// One version of all tasks, a record a line.
    struct Version {
        let lines: [UInt8]
        let records: [JSON]

        init(_ lines: [UInt8]) throws {
            self.lines = lines
            self.records = try lines.split(separator: UInt8(ascii: "\n")).map { try JSON(parsing: Array($0)) }
        }

        init(_ records: [JSON]) {
            self.lines = records.map(\.text).joined(separator: "\n").utf8.map { $0 }
            self.records = records
        }
    }

    static let count = 20_000

    let base: Version
    let client: Version
    let server: Version

    /// Reads the files of `BENCH_DATA`, or makes them from the seed.
    init(_ laboratory: Laboratory) throws {
        if let base = try laboratory.file("tasks.base.ndjson"), let client = try laboratory.file("tasks.client.ndjson"),
            let server = try laboratory.file("tasks.server.ndjson")
        {
            self.base = try Version(base)
            self.client = try Version(client)
            self.server = try Version(server)
            return
        }
        var maker = TaskMaker(seed: 1)
        let tasks = try (0..<Self.count).map { try JSON(parsing: maker.next($0).text) }
        self.base = Version(tasks)
        self.client = Version(tasks.enumerated().map { Self.ofClient($1, $0) })
        self.server = Version(tasks.enumerated().map { Self.ofServer($1, $0) })
    }

    /// All tasks as one array, as `tasks.json` has them.
    static func text(_ laboratory: Laboratory) throws -> [UInt8] {
        if let file = try laboratory.file("tasks.json") { return file }
        var maker = TaskMaker(seed: 1)
        return Array("[\((0..<Self.count).map { maker.next($0).text }.joined(separator: ","))]".utf8)
    }

    private static func ofClient(_ task: JSON, _ number: Int) -> JSON {
        var task = task
        task.title = .string(JSONString("Done differently, number \(number)"))
        task.priority = .number(JSONNumber(number % 7 + 5))
        task.due = .string(JSONString("2026-04-11T10:00:00Z"))
        return task
    }

    /// The server's version. Every tenth title is changed on this side as well, to another value.
    private static func ofServer(_ task: JSON, _ number: Int) -> JSON {
        var task = task
        task.done = .string(JSONString("by \(number)"))
        task.estimate = .number(JSONNumber(number % 11 + 20))
        if number.isMultiple(of: 10) {
            task.title = .string(JSONString("Taken over, number \(number)"))
        } else {
            task.tags = .array([.string(JSONString("shared")), .string(JSONString("n\(number)"))])
        }
        return task
    }
}

import Foundation
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// Contract §8: queries with the types of an app, and paths that are checked against a type.
@Suite struct TypedFieldTests {
    enum Status: String, Codable, JSONConvertible { case open, done }

    struct Task: Codable, Equatable, Sendable {
        struct Line: Codable, Equatable, Sendable {
            var id: String
            var count: Int
        }

        var title: String
        var status: Status
        var due: Date?
        var price: Decimal?
        var lines: [Line] = []
        var notes: [String: String] = [:]
    }

    private static let status = JSONField<Status>("/status")
    private static let price = JSONField<Decimal?>("/price")

    private func tasks(
        _ dates: JSONDates, _ rules: CollectionRules = CollectionRules()
    ) throws -> SyncCollection<Task> {
        var configuration = SyncConfiguration()
        configuration["tasks"] = rules
        let server = try InProcessServer()
        return try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(server), configuration: configuration, time: server.clock,
            seed: 1
        ).collection("tasks", of: Task.self, dates: dates)
    }

    @Test(arguments: [JSONDates.rfc3339(digits: 3), .millisecondsSince1970])
    func `dates, enums, decimals and optionals are compared as they are written`(dates: JSONDates) async throws {
        let tasks = try self.tasks(dates)
        let day = { (number: Int) in Date(timeIntervalSince1970: Double(number) * 86_400) }
        for (number, status) in [Status.open, .done, .open].enumerated() {
            let price = try #require(Decimal(string: "\(number).10"))
            let task = Task(title: "\(number)", status: status, due: number == 1 ? nil : day(number), price: price)
            try await tasks.create(task, pk: "\(number)")
        }
        func pks(_ condition: RecordQuery.Condition) async throws -> [String] {
            try await tasks.page(RecordQuery(where: condition)).records.map(\.pk)
        }
        let due = JSONField<Date?>("/due", dates: dates)
        #expect(try await pks(Self.status == .open) == ["0", "2"])
        #expect(try await pks(Self.status != .open) == ["1"])
        #expect(try await pks(Self.status.isIn([.done])) == ["1"])
        #expect(try await pks(due == nil) == ["1"])
        #expect(try await pks(due != nil) == ["0", "2"])
        #expect(try await pks(due.isIn([nil, day(2)])) == ["1", "2"])
        #expect(try await pks(due < day(1)) == ["0"])
        #expect(try await pks(due == day(2)) == ["2"])
        #expect(try await pks(JSONField<Date>("/due", dates: dates) >= day(1)) == ["2"])
        #expect(try await pks(Self.price == Decimal(string: "1.1")) == ["1"])
        #expect(try await pks(Self.price > Decimal(string: "0.5")) == ["1", "2"])
        let missing: Decimal? = nil
        #expect(try await pks(Self.price == missing) == [])
        try await tasks.of(JSON.self)["0"].edit { $0.price = .null }
        #expect(try await pks(Self.price == missing) == ["0"], "null counts as missing")
    }

    @Test func `paths that the type does not have are named with their place`() async throws {
        let rules = CollectionRules(
            fields: try FieldRules([("/lines", .keyed("id")), ("/lines/*/cuont", .sum), ("/notes/*", .server)]),
            indexes: [["/status", "/deu"]])
        let tasks = try self.tasks(.rfc3339, rules)
        let example = Task(
            title: "Milk", status: .open, due: Date(timeIntervalSince1970: 0), price: 1,
            lines: [.init(id: "a", count: 1)], notes: ["a": "b"])
        let error = await #expect(throws: TidemarkError.self) {
            try await tasks.check(example, fields: ["/status", "/titel"])
        }
        #expect(error?.code == .invalidName)
        #expect(
            error?.message
                == "The example of tasks, a Task, has no value for the rule /lines/*/cuont, the index /deu, the query /titel: correct the path, or give the example a value there."
        )
        try await self.tasks(.rfc3339).check(example, fields: ["/due", "/lines/*/id"])
    }
}

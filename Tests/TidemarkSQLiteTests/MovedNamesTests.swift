import TestSupport
import Testing
import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkRules
import TidemarkSQLite
import TidemarkTesting

@Suite struct `Names that a restored server gives in another order (Contract §12)` {
    /// A world in which each record has another name than before.
    struct Case: CustomTestStringConvertible, Sendable {
        /// The pks in the order of their new names, “1” first; a record that is left out was lost.
        let order: [String]
        let pageSize: Int
        let isInFile: Bool

        /// How the device notices it: the server has another epoch, or another client has swapped the pks in the rows.
        let isNoticed: Bool
        let edited: [String]

        var testDescription: String {
            "\(self.order.joined()), pages of \(self.pageSize), \(self.isInFile ? "file" : "memory"), "
                + "\(self.isNoticed ? "restored" : "written"), edited: \(self.edited.joined())"
        }
    }

    static let orders = [["B", "A"], ["B", "C", "A"], ["C", "A", "B"], ["A", "C", "B"], ["D", "B", "A", "C"]]

    static let cases: [Case] = Self.orders.flatMap { order in
        [1, 2, 500].flatMap { size in
            [true, false].flatMap { isInFile in
                [true, false].flatMap { isNoticed in
                    [[], ["A"], order].map {
                        Case(order: order, pageSize: size, isInFile: isInFile, isNoticed: isNoticed, edited: $0)
                    }
                }
            }
        }
    }

    private let server = NamingServer()
    private let clock = ManualClock()
    private let folder: TemporaryFolder

    init() throws { self.folder = try TemporaryFolder() }

    private func device(_ world: Case) throws -> SyncClient {
        var configuration = SyncConfiguration()
        configuration.limits.pageSize = world.pageSize
        guard world.isInFile else {
            return try SyncClient(
                store: MemoryStore(), remote: self.server, configuration: configuration, collections: ["notes"],
                time: self.clock, seed: 1)
        }
        return try SyncClient(
            store: SQLiteStore(.file(self.folder.path("a.db"))), remote: self.server, configuration: configuration,
            collections: ["notes"], time: self.clock, seed: 1)
    }

    private func rows(_ order: [String]) -> [(name: String, content: JSON)] {
        order.enumerated().map { ("\($0.offset + 1)", ["t": JSON("of \($0.element)"), "ref": JSON($0.element)]) }
    }

    private func sync(_ device: SyncClient) async throws {
        self.clock.advance(by: .seconds(600))
        let report = try await device.sync()
        #expect(report.outcome == .inSync)
        let held = report.collections.flatMap(\.held)
        #expect(held.isEmpty)
    }

    @Test(arguments: Self.cases)
    func `each row finds its record, and no record is lost or quarantined (I1)`(world: Case) async throws {
        let (device, pks) = (try self.device(world), world.order.sorted())
        self.server.write(self.rows(pks))
        try await self.sync(device)
        for pk in world.edited { try await device["notes"][pk].edit { $0.n = 1 } }
        if world.isNoticed {
            self.server.restore(self.rows(world.order))
        } else {
            self.server.write(self.rows(world.order))
        }
        for _ in 0..<3 { try await self.sync(device) }
        #expect(self.server.rows.count == pks.count)
        for (index, pk) in world.order.enumerated() {
            let row = try #require(self.server.rows["\(index + 1)"]?.content)
            let record = try await device["notes"][pk].get()
            #expect(row.ref == JSON(pk))
            #expect(row.t == JSON("of \(pk)"))
            #expect(record?.t == row.t)
            #expect((row.n == 1) == world.edited.contains(pk))
            #expect(record?.n == row.n)
        }
        #expect(try await device["notes"].journal.isEmpty)
        #expect(try await device["notes"].status.held.isEmpty)
    }
}

import Foundation
import Tidemark
import TidemarkAdapters

/// One device of the demo: a client on its own SQLite file, and its connection to the server.
struct DemoDevice {
    let name: String

    let list: SyncCollection<JSON>

    /// The connection to the server.
    let line: DemoLine

    private let client: SyncClient

    init(_ name: String, in folder: URL, server: DemoServer) throws {
        self.name = name
        self.line = DemoLine(HTTPRemote(server.url))
        let path = folder.appendingPathComponent("\(name).db").path
        self.client = try SyncClient(store: .sqlite(at: path), remote: self.line)
        self.list = self.client["shopping"]
    }

    func sync() async throws -> CollectionReport {
        let report = try await self.client.sync([self.list.name])
        return report.collections.first ?? CollectionReport(collection: self.list.name)
    }

    /// The JSON text of each record that the app sees, by its pk.
    func records() async throws -> [String: [UInt8]] {
        var records: [String: [UInt8]] = [:]
        for record in try await self.list.list() { records[record.pk] = record.raw.content }
        return records
    }

    /// Whether no record is unsent, in conflict or held.
    func isInSync() async throws -> Bool {
        try await self.list.list().allSatisfy { $0.phase == .synced }
    }
}

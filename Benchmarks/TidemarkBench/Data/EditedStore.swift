import Foundation
import GeneratedRows
import Tidemark
import TidemarkCore

/// A store in which each record has one unsent changed field, and the exchanges of the sync that sends them.
struct EditedStore {
    static let seed: UInt64 = 5

    let file: URL
    let exchanges: [Acknowledger.Exchange]

    /// - Parameter edits: The number of records, all of them edited.
    init(edits: Int, in folder: URL) async throws {
        self.file = folder.appendingPathComponent("edited-\(edits).db")
        let pulled = folder.appendingPathComponent("pulled-\(edits).db")
        try await StoreInStep.make(rows: edits, pageSize: 500, at: pulled.path)
        try await Self.edit(pulled)
        try FileManager.default.moveItem(at: pulled, to: self.file)

        let server = Acknowledger(remembering: true)
        let copy = try Self.copy(of: self.file)
        defer { try? FileManager.default.removeItem(at: copy) }
        try await Self.sync(copy, server)
        self.exchanges = server.exchanges
        let sent = self.exchanges.reduce(0) { $0 + $1.rows.count }
        guard sent == edits else { throw Unavailable("\(sent) of \(edits) edits were sent") }
    }

    /// Sends the edits in the store of a file.
    static func sync(_ file: URL, _ remote: some Remote) async throws {
        let client = try self.client(file, remote)
        let report = try await client["tasks"].sync()
        guard report.outcome == .inSync else {
            let reasons = report.collections.compactMap(\.failure?.message)
            throw Unavailable("the push ended as \(report.outcome): \(reasons.joined(separator: "; "))")
        }
        await client.close()
    }

    static func client(_ file: URL, _ remote: some Remote) throws -> SyncClient {
        try SyncClient(
            store: .sqlite(at: file.path), remote: remote, configuration: SyncConfiguration(), time: SystemTime(),
            seed: self.seed)
    }

    /// A fresh copy, for one round.
    func copy() throws -> URL { try Self.copy(of: self.file) }

    static func copy(of file: URL) throws -> URL {
        let copy = file.deletingLastPathComponent().appendingPathComponent("\(UUID().uuidString).db")
        try FileManager.default.copyItem(at: file, to: copy)
        return copy
    }

    private static func edit(_ file: URL) async throws {
        let client = try self.client(file, Acknowledger(remembering: false))
        let tasks = client["tasks"]
        var last: String?
        while true {
            let records = try await tasks.list(after: last, limit: 5_000)
            guard let end = records.last else { break }
            last = end.pk
            let changed = try records.compactMap { record -> RecordInput? in
                guard var content = try record.content else { return nil }
                content.title = .string(JSONString("Done differently: \(record.pk)"))
                return RecordInput(pk: record.pk, content: content)
            }
            _ = try await tasks.upsert(changed)
        }
        await client.close()
    }
}

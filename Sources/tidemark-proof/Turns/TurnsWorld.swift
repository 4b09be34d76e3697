import Foundation
import Tidemark
import TidemarkCore
import TidemarkSQLite

/// The settings that each process of `tidemark-proof turns` has in common.
enum TurnsWorld {
    /// The use that a process makes of the store.
    enum Role: String, CaseIterable {
        /// The app: it syncs in a loop, follows a list, and has the rules, an index and a projection.
        case owner

        /// A guest without a server.
        case guest

        /// A guest that syncs one collection from time to time.
        case syncingGuest
    }

    static let collections = ["notes", "tasks"]

    /// The records that each process edits.
    static let sharedPKs = (0..<5).map { "shared-\($0)" }

    /// The number of the parent's device among the workers.
    static let laptop = 9

    /// How much longer than `SyncClient.openingLimit` a call may take: a machine with few processors runs all of it.
    static let slack = Duration.seconds(3)

    /// The time limit of one sync.
    static let syncLimit = Duration.seconds(1)

    /// The records that the list of the owner has.
    static let listed = RecordQuery(where: JSONField<Int>("/sum") >= 0)

    static func configuration(_ role: Role) throws -> SyncConfiguration {
        var rules = CollectionRules(fields: try FieldRules([("/sum", .sum), ("/shared", .server)]))
        var configuration = SyncConfiguration()
        switch role {
        case .guest: return configuration
        case .owner: rules.indexes = [["/sum"]]
        case .syncingGuest: configuration.isGuest = true
        }
        configuration.rules = rules
        configuration.retry = Backoff(first: .milliseconds(20), longest: .milliseconds(200))
        configuration.limits.batchSize = 8
        configuration.limits.pageSize = 20
        return configuration
    }

    /// Opens the store for a role.
    static func open(_ path: URL, _ role: Role, remote: some Remote) async throws -> SyncClient {
        let projections: [any Projection]? = role == .owner ? [NoteTexts()] : nil
        return try await SyncClient.open(
            store: .sqlite(at: path, projections: projections, takesTurns: true), remote: remote,
            configuration: try Self.configuration(role), collections: Self.collections)
    }

    /// The name of the member that a worker alone writes.
    static func counter(of worker: Int) -> String { "w\(worker)" }

    /// Nanoseconds of a clock that all processes share.
    static var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }
}

/// A table with the text of each note.
struct NoteTexts: Projection {
    let name = "texts"
    let collection = "notes"
    let version = 1

    func setUp(_ tables: ProjectionTables) throws {
        try tables.run("CREATE TABLE app_texts (pk TEXT PRIMARY KEY, content TEXT NOT NULL)")
    }

    func update(_ pk: String, to content: JSON?, in tables: ProjectionTables) throws {
        guard let content else { return try tables.run("DELETE FROM app_texts WHERE pk = ?1", .text(pk)) }
        try tables.run("INSERT OR REPLACE INTO app_texts VALUES (?1, ?2)", .text(pk), .text(content.text))
    }
}

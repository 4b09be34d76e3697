import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting

/// A client with a collection of books, over a network that works.
struct Shelf {
    struct Book: Codable, Equatable, Sendable {
        var title: String
        var copies: Int?
    }

    let server: InProcessServer
    let client: SyncClient
    var books: SyncCollection<JSON> { self.client["books"] }

    init(_ titles: [String: JSON] = [:], store: sending any RecordStore = MemoryStore()) async throws {
        let server = try InProcessServer()
        self.server = server
        self.client = try SyncClient(
            store: store, remote: InProcessRemote(server), configuration: SyncConfiguration(),
            time: server.clock, seed: 1)
        try await self.books.upsert(titles.map { RecordInput(pk: $0.key, content: ["title": $0.value]) })
    }

    /// Another device of the same server.
    func another() throws -> SyncClient {
        try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 2)
    }
}

extension [RecordValue<Shelf.Book>] {
    /// The pks with their titles.
    var shown: [String] { self.map { "\($0.pk) \($0.title)" } }
}

extension RecordList<Shelf.Book> {
    /// The pks with their titles, then those of books that can't be read, with the code of the error.
    var shown: [String] { self.records.shown + self.unreadable.map { "\($0.pk) \($0.error.code)" } }
}

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
    var books: SyncCollection { self.client["books"] }

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
    /// The pks with their titles; for a book that can't be read, the code of the error.
    var shown: [String] {
        self.map { record in
            switch record.result {
            case .success(let book): "\(record.pk) \(book.title)"
            case .failure(let error): "\(record.pk) \(error.code)"
            }
        }
    }
}

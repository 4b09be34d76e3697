import Synchronization
import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import Testing

/// A server that returns the pages and the row of a test.
private struct PagedServer: RowServer {
    let pages: [[ServerRow]]
    /// The rows that were read before.
    var former: [ServerRow] = []
    /// The row now.
    var row: ServerRow?
    var failure: RemoteFailure?
    let noticesRestore = true
    let capabilities = RemoteCapabilities.rows(condition: .atomic, feed: .ordered)

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        let page = cursor.flatMap { Int($0) } ?? 0
        return RowChanges(page < self.pages.count ? self.pages[page] : [], cursor: "\(page + 1)")
    }

    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer { .unknown }

    func row(_ name: String, in collection: String) async throws -> ServerRow? {
        if let failure { throw failure }
        return self.row ?? self.former.last { ($0.name ?? $0.pk) == name }
    }
}

@Suite struct `A restore that the row read last shows (Contract §6)` {
    private static func row(_ pk: String, _ version: JSON, isDeleted: Bool = false, name: String? = nil) -> ServerRow {
        ServerRow(pk: pk, version: version, content: isDeleted ? nil : [:], name: name)
    }

    /// Reads the pages, each from the cursor of the one before; returns the cursor at their end.
    private func read(_ pages: [[ServerRow]]) async throws -> String {
        var cursor: String?
        for page in pages.indices {
            let server = PagedServer(pages: pages, former: Array(pages[..<page].joined()))
            cursor = try await RowRemote(server).exchange(self.request(cursor)).cursor
        }
        return try #require(cursor)
    }

    private func request(_ cursor: String?) -> ExchangeRequest {
        ExchangeRequest(collection: "notes", cursor: cursor, limit: 9)
    }

    /// The failure of the next exchange.
    private func failure(
        after pages: [[ServerRow]], showing row: ServerRow?, failure: RemoteFailure? = nil
    ) async throws -> RemoteFailure? {
        let cursor = try await self.read(pages)
        do throws(RemoteFailure) {
            _ = try await RowRemote(PagedServer(pages: pages, row: row, failure: failure)).exchange(
                self.request(cursor))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            (row("1", 7), nil, "is missing"), (row("1", 7), row("1", 6), "has an older version than before"),
            (row("1", "2026-01-02T03:04:05Z"), row("1", "2026-01-02T03:04:04.9Z"), "has an older version than before"),
            (row("P", 7, name: "1"), row("T", 7, name: "1"), "was “P”, and is “T” now"),
            (row("P", 7, name: "1"), row("1", 6, isDeleted: true, name: "1"), "has an older version than before"),
        ] as [(ServerRow, ServerRow?, String)])
    func `a row that is missing, another record's or older shows a restore`(
        last: ServerRow, now: ServerRow?, words: String
    ) async throws {
        let failure = try #require(try await self.failure(after: [[Self.row("0", 1), last]], showing: now))
        #expect(failure.failureClass == .historyLost && failure.serverRolledBack)
        #expect(failure.message == "The server's record “1” \(words): the server was restored from a backup.")
    }

    @Test(arguments: [
        (row("1", 7), row("1", 7)), (row("1", 7), row("1", 8)), (row("1", "b"), row("1", "a")),
        (row("1", 7), row("1", "6")), (row("1", 7), row("1", 8, isDeleted: true)),
        (row("P", 7, name: "1"), row("1", 8, isDeleted: true, name: "1")), (row("1", 7), row("", 8)),
    ])
    func `another row of the record shows none`(last: ServerRow, now: ServerRow) async throws {
        #expect(try await self.failure(after: [[last]], showing: now) == nil)
    }

    @Test(
        arguments: [
            [], [[]], [[row("1", 7, isDeleted: true)]], [[row("1", 7)], [row("1", 8, isDeleted: true)]],
            [[row("1", 7), row("1", 8, isDeleted: true)]],
        ] as [[[ServerRow]]])
    func `a deletion that is missing shows none`(pages: [[ServerRow]]) async throws {
        #expect(try await self.failure(after: pages + [[]], showing: nil) == nil)
    }

    @Test func `a page without rows keeps the row that was read last`() async throws {
        #expect(try await self.failure(after: [[Self.row("1", 7)], []], showing: nil) != nil)
        let pages = [[Self.row("1", 7)], [Self.row("2", 8, isDeleted: true)]]
        #expect(try await self.failure(after: pages, showing: nil) != nil)
    }

    @Test(
        arguments: [
            [[row("0", 5), row("1", 7), row("1", 8, isDeleted: true)]],
            [[row("0", 5)], [row("1", 7), row("1", 8, isDeleted: true)]],
        ] as [[[ServerRow]]])
    func `a page that ends with the deletion of its last row keeps the row before it`(pages: [[ServerRow]]) async throws
    {
        let failure = try #require(try await self.failure(after: pages, showing: nil))
        #expect(failure.message.hasPrefix("The server's record “0” is missing"))
    }

    @Test func `a deleted row that is there again with an older version shows a restore`() async throws {
        let pages = [[Self.row("1", 7)], [Self.row("1", 8, isDeleted: true)]]
        let failure = try #require(try await self.failure(after: pages, showing: Self.row("1", 7)))
        #expect(failure.message.hasPrefix("The server's record “1” has an older version than before"))
        #expect(try await self.failure(after: pages, showing: Self.row("1", 9)) == nil)
        #expect(try await self.failure(after: pages, showing: Self.row("1", 8, isDeleted: true)) == nil)
    }

    @Test func `a row that may not be read shows none, and a failure of the read is that of the exchange`() async throws
    {
        let pages = [[Self.row("1", 7)]]
        let refused = RemoteFailure(.refused, "no")
        #expect(try await self.failure(after: pages, showing: nil, failure: refused) == nil)
        let busy = RemoteFailure(.busy, "later")
        #expect(try await self.failure(after: pages, showing: nil, failure: busy)?.failureClass == .busy)
    }

    @Test func `a long name or version is not kept in the cursor`() async throws {
        let long = Self.row("1", JSON(String(repeating: "v", count: 4_000)))
        #expect(try await self.read([[long]]) == "+1")
        #expect(try await self.failure(after: [[long]], showing: nil) == nil)
    }

    @Test(arguments: ["=", "=[]", "=[1,2,3,4]", "=[1,\"2\",\"3\",4,5]", "=x", "x"])
    func `a cursor of another form is not one of this server`(cursor: String) async throws {
        await #expect(throws: RemoteFailure.self) {
            try await RowRemote(PagedServer(pages: [])).exchange(self.request(cursor))
        }
    }
}

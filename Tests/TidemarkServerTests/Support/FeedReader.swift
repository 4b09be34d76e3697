import Testing
import TidemarkJSON
import TidemarkServer

/// A reader that knows the server only from its answers: pages, results, and 410.
struct FeedReader {
    /// The records that it has read, by pk, as the text of the ITEM; a full resync replaces everything.
    private(set) var items: [String: String] = [:]
    private(set) var versions: [String: Int] = [:]
    private(set) var cursor: String?

    /// Reads one page, or starts a full resync if the server reports that history is lost.
    ///
    /// - Returns: Whether there is more.
    mutating func readPage(of server: ServerHarness, limit: Int) throws -> Bool {
        let response = server.send("GET", ServerHarness.target("notes", self.cursor, limit))
        guard response.status != 410 else {
            self = FeedReader()
            return true
        }
        return try self.take(try Answer(response))
    }

    /// Posts edits with its cursor.
    mutating func post(_ edits: [JSON], to server: ServerHarness, limit: Int) throws {
        let body = (["edits": .array(edits)] as JSON).text
        let response = server.send("POST", ServerHarness.target("notes", self.cursor, limit), body: body)
        guard response.status != 410 else {
            self = FeedReader()
            return
        }
        _ = try self.take(try Answer(response))
    }

    private mutating func take(_ answer: Answer) throws -> Bool {
        for result in answer.results {
            if let item = result.item {
                try self.take(item)
            }
        }
        var last = 0
        for item in answer.items {
            let version = try #require(item["updated_at"]?.int)
            #expect(version > last, "W3: items come in commit order")
            last = version
            try self.take(item)
        }
        self.cursor = answer.cursor
        return try #require(answer.hasMore as Bool?)
    }

    private mutating func take(_ item: JSON) throws {
        let pk = try #require(item["pk"]?.string)
        let version = try #require(item["updated_at"]?.int)
        // A repeated result may be older than rows that were read since.
        guard version >= self.versions[pk] ?? 0 else { return }
        self.versions[pk] = version
        self.items[pk] = item["is_active"] == true ? item.text : nil
    }
}

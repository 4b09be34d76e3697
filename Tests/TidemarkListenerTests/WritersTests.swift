import Foundation
import Synchronization
import Testing
import TidemarkJSON
import TidemarkListener
import TidemarkServer

@Suite("Several clients at once (W3)", .timeLimit(.minutes(10)))
struct WritersTests {
    /// Sends a request on a connection, and reads the answer.
    private static func ask(_ client: SocketClient, _ method: String, _ target: String, _ body: String = "") throws
        -> JSON
    {
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\n"
        client.send("\(method) \(target) HTTP/1.1\nHost: x\n\(length)\n")
        client.send(Array(body.utf8))
        let answer = try client.answer()
        try #require(answer.status == 200, "\(answer.text)")
        return try JSON(parsing: answer.body)
    }

    private static func write(_ client: SocketClient, writer: Int, number: Int) throws -> Int {
        let edit =
            #"{"request_id":"r\#(writer)-\#(number)","pk":"w\#(writer)-\#(number)","sync_state":"CREATED","#
            + #""edited_data":[{"op":"add","path":"","value":{}}]}"#
        let answer = try self.ask(client, "POST", "/v1/notes", #"{"edits":[\#(edit)]}"#)
        return try #require(answer["results"]?.array?.first?["item"]?["updated_at"]?.int)
    }

    @Test func `no later commit gets a version below a cursor, with writers and readers (W3)`()
        async throws
    {
        // The clock stops: every version is one more than the last.
        let server = try RunningServer()
        let port = server.listener.port
        let perWriter = 25
        let seen = try await withThrowingTaskGroup(of: (versions: [Int], pks: [String]).self) { group in
            for writer in 0..<4 {
                group.addTask {
                    let client = try SocketClient(port: port)
                    return (try (0..<perWriter).map { try Self.write(client, writer: writer, number: $0) }, [])
                }
            }
            for reader in 0..<2 {
                group.addTask {
                    let client = try SocketClient(port: port)
                    var pks: [String] = []
                    var cursor = ""
                    while pks.count < 4 * perWriter {
                        let target = "/v1/notes?limit=\(reader == 0 ? 3 : 500)&max_updated_at=\(cursor)"
                        let page = try Self.ask(client, "GET", target)
                        pks += page["items"]?.array?.compactMap { $0["pk"]?.string } ?? []
                        cursor = page["max_updated_at"]?.string ?? ""
                    }
                    return ([], pks)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let versions = seen.flatMap(\.versions)
        #expect(Set(versions).count == 4 * perWriter, "all versions differ")
        for one in seen where !one.versions.isEmpty { #expect(one.versions == one.versions.sorted()) }
        // Each reader has each row once: no row came later with a version that the reader had passed.
        for one in seen where one.versions.isEmpty {
            #expect(one.pks.count == 4 * perWriter)
            #expect(Set(one.pks).count == 4 * perWriter)
        }
    }
}

import Foundation
import Synchronization
import Testing
import TidemarkJSON
import TidemarkListener
import TidemarkServer

@Suite("W3: several clients at once", .timeLimit(.minutes(2)))
struct WritersTests {
    /// Sends something on a connection, and reads what is answered.
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

    @Test func `W3 no reader is shown a watermark that a later commit falls below, with four writers and two readers`()
        async throws
    {
        // The clock stands still: every version is one more than the last.
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
                    var watermark = ""
                    while pks.count < 4 * perWriter {
                        let target = "/v1/notes?limit=\(reader == 0 ? 3 : 500)&max_updated_at=\(watermark)"
                        let page = try Self.ask(client, "GET", target)
                        pks += page["items"]?.array?.compactMap { $0["pk"]?.string } ?? []
                        watermark = page["max_updated_at"]?.string ?? ""
                    }
                    return ([], pks)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let versions = seen.flatMap(\.versions)
        #expect(Set(versions).count == 4 * perWriter, "each has a version of its own")
        for one in seen where !one.versions.isEmpty { #expect(one.versions == one.versions.sorted()) }
        // Each reader has each row once: none came later with a version that it had passed.
        for one in seen where one.versions.isEmpty {
            #expect(one.pks.count == 4 * perWriter)
            #expect(Set(one.pks).count == 4 * perWriter)
        }
    }
}

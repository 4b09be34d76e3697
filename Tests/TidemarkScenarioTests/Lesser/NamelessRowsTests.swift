import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct `Rows without a valid pk (Contract §3.5)` {
    private static let long = JSON(String(repeating: "x", count: 513)).text

    /// One character.
    private static let marks = JSON("x" + String(repeating: "\u{301}", count: 5_000)).text

    @Test(arguments: [#""""#, "", "7", "null", #"["a"]"#, Self.long, Self.marks], [nil, #""n1""#])
    func `a row whose pk is no text of 1 to 512 bytes is quarantined`(pk: String, name: String?) throws {
        let server = try ScriptedServer { $0.names = name == nil ? .client : .server }
        let bad = FeedPage.Item(pk: pk, version: "1", data: "{}", name: name)
        let good = FeedPage.Item(pk: #""b""#, version: "2", data: "{}", name: name.map { _ in #""n2""# })
        for _ in 0..<SyncLimits().malformedTries { try server.pull(bad, good) }
        let records = try server.store.records(in: "notes", states: [.synced], after: nil, limit: 9)
        #expect(records.map(\.pk) == ["b"])
        let item = try #require(try server.store.quarantinedItems(in: "notes").first)
        #expect(!item.pk.isEmpty && item.pk.unicodeScalars.count <= 65)
        #expect(item.reason.hasPrefix("the server's item is malformed: "))
        #expect(server.report?.outcome == .held)
    }
}

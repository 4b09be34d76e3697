import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

/// A server can't lead one sync to ever new POSTs (I8, Contract §3.4).
@Suite struct EndlessPostsTests {
    private struct KeepBoth: Tactic {
        func decide(_ conflict: RecordConflict) -> Verdict? { .keepBoth(newPK: nil) }
    }

    private let clock = ManualClock()
    private static let limit = 100

    private static func row(_ pk: String, _ version: Int, _ n: String) -> String {
        #"{"pk":"\#(pk)","updated_at":\#(version),"is_active":true,"data":{"n":"\#(n)"}}"#
    }

    private static func result(_ id: String, _ pk: String, isConflicted: Bool, _ item: String) -> String {
        #"{"request_id":"\#(id)","pk":"\#(pk)","is_conflicted":\#(isConflicted),"item":\#(item),"error":null}"#
    }

    /// Answers each POST of a sync, and each GET with an empty page, until the phone sends no more.
    ///
    /// - Returns: The number of POSTs.
    private func posts(
        of phone: Device, _ answer: (_ number: Int, _ id: String, _ pk: String) -> (results: String, items: String)
    ) throws -> Int {
        try phone.sync(SyncScenario.collection)
        var (posts, requests) = (0, 0)
        while let sent = phone.outbox.first, posts < Self.limit {
            requests += 1
            guard let edit = sent.request.encodedEdit.first else {
                try phone.answerNext(answerBody(items: "", cursor: #""get \#(requests)""#))
                continue
            }
            posts += 1
            let json = try JSON(parsing: edit)
            let parts = try answer(
                posts, #require(json["request_id"]?.string), #require(json["pk"]?.string))
            try phone.answerNext(
                answerBody(
                    results: parts.results, items: parts.items, cursor: #""post \#(requests)""#,
                    more: requests.isMultiple(of: 3) ? "true" : "false"))
        }
        return posts
    }

    @Test func `an accepted edit that is overwritten, conflicts and is accepted again waits for the next sync`() throws
    {
        var capabilities = RemoteCapabilities.native
        capabilities.condition = .checkedFirst(watch: .seconds(10))
        let phone = try Device(
            "phone", seed: 1, clock: self.clock, configuration: SyncConfiguration(), capabilities: capabilities)
        try phone.sync(SyncScenario.collection)
        try phone.answerNext(answerBody(items: Self.row("42", 1, "A")))
        try phone.edit("42") { $0.n = "B" }
        var (values, count) = (["A", "C"], 0)
        for _ in 1...2 {
            let posts = try self.posts(of: phone) { _, id, pk in
                count += 1
                let version = 3 * count
                guard !count.isMultiple(of: 2) else {
                    return (Self.result(id, pk, isConflicted: true, Self.row(pk, version, values[0])), "")
                }
                defer { values.swapAt(0, 1) }
                return (
                    Self.result(id, pk, isConflicted: false, Self.row(pk, version, "B")),
                    Self.row(pk, version + 1, values[0])
                )
            }
            #expect(posts < 4 * SyncLimits().rounds)
            #expect(try phone.view("42")?.n == "B")
            let report = try #require(phone.reports.last)
            #expect(report.failure?.message.contains("Other devices were faster") == true, "\(report)")
            #expect(report.nextTry != nil)
        }
    }

    @Test func `copies of copies wait for the next sync`() throws {
        let rules = CollectionRules(tactic: KeepBoth())
        let phone = try Device("phone", seed: 1, clock: self.clock, configuration: SyncConfiguration(rules: rules))
        try phone.create(["n": "B"], pk: "42")
        let posts = try self.posts(of: phone) { number, id, pk in
            (Self.result(id, pk, isConflicted: true, Self.row(pk, number, "X")), "")
        }
        #expect(posts == SyncLimits().rounds + 1)
        #expect(phone.reports.last?.nextTry != nil)
    }
}

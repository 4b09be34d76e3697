import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// What a listing from the start makes of what is here (SPEC §6).
@Suite struct ListingTests {
    /// Set up anew: of what the phone knows it has nothing. It lists two records of its own in pages of one, and says
    /// the same about every edit.
    struct OtherServer {
        /// The members `is_conflicted`, `item` and `error` of each RESULT.
        var verdict: String

        func answer(_ request: ExchangeRequest) throws -> String {
            let results = try request.frozen.map { edit -> String in
                let edit = try JSON(parsing: edit)
                let (requestID, pk) = (try #require(edit["request_id"]), try #require(edit["pk"]))
                return #"{"request_id":\#(requestID.text),"pk":\#(pk.text),\#(self.verdict)}"#
            }
            let isPost = !request.uploads.isEmpty
            func page(_ pk: String?, _ watermark: String, more: Bool) -> String {
                let item = pk.map { #"{"pk":"\#($0)","updated_at":7,"is_active":true,"data":{"n":1}}"# } ?? ""
                return answerBody(
                    results: isPost ? results.joined(separator: ",") : nil, items: item,
                    watermark: #""\#(watermark)""#, more: more ? "true" : "false")
            }
            switch request.watermark {
            case nil: return page("x", "l1", more: true)
            case "l1": return page("y", "l2", more: false)
            default: return page(nil, "l2", more: false)
            }
        }
    }

    static let refused = #""is_conflicted":false,"item":null,"error":{"title":"no","status":422}"#
    static let conflictedWithNothing = #""is_conflicted":true,"item":null,"error":null"#
    static let accepted = #""is_conflicted":false,"item":null,"error":null"#

    /// A phone that has "p" in step, and then meets a server that knows nothing of it.
    private func phone(_ configuration: SyncConfiguration = SyncConfiguration()) throws -> Device {
        let phone = try Device("phone", seed: 1, clock: ManualClock(), configuration: configuration)
        try phone.sync(Meeting.collection)
        let item = #"{"pk":"p","updated_at":1,"is_active":true,"data":{"n":1}}"#
        try phone.answerNext(answerBody(items: item, watermark: #""old""#))
        #expect(try phone.phase("p") == .synced)
        return phone
    }

    /// Syncs once; the requests come back in their order.
    @discardableResult
    private func sync(_ phone: Device, _ server: OtherServer) throws -> [ExchangeRequest] {
        var requests: [ExchangeRequest] = []
        try phone.sync(Meeting.collection)
        while let next = phone.outbox.first?.request {
            requests.append(next)
            try #require(requests.count < 20, "it does not stop (I8)")
            if next.watermark == "old" {
                try phone.answerNext("{}", status: 410)
            } else {
                try phone.answerNext(try server.answer(next))
            }
        }
        return requests
    }

    @Test func `refused-while-listing (I3): a refusal names no row, and what the server has not is never in step`()
        throws
    {
        let phone = try self.phone()
        try phone.edit("p") { $0.n = 2 }
        try self.sync(phone, OtherServer(verdict: Self.refused))
        try phone.resign("p")
        #expect(try phone.phase("p") == .absent, "the server has no such record")
        #expect(try phone.journal().map(\.raw.value) == [Array("2".utf8)])
    }

    @Test func `refused-while-listing: the resync asks about what was changed here and is gone there`() throws {
        let phone = try self.phone(SyncConfiguration(rules: .init(tactic: .askUser)))
        try phone.sync(Meeting.collection)
        try phone.answerNext("{}", status: 410)
        try phone.edit("p") { $0.n = 2 }
        let server = OtherServer(verdict: Self.refused)
        while let next = phone.outbox.first?.request { try phone.answerNext(try server.answer(next)) }
        #expect(phone.reports.last?.conflicts == ["p"])
        #expect(try phone.engine.conflict(of: "p", in: Meeting.collection)?.kind == .editDelete)
    }

    @Test(arguments: [Self.refused, Self.conflictedWithNothing, Self.accepted])
    func `nothing is sent while a listing is under way, and what waited goes out at its end`(verdict: String) throws {
        let phone = try self.phone()
        try phone.edit("p") { $0.n = 2 }
        try phone.create(["n": 3], pk: "new")
        let requests = try self.sync(phone, OtherServer(verdict: verdict))
        let listing = requests.drop { $0.watermark != nil }
        #expect(listing.prefix(2).allSatisfy { $0.uploads.isEmpty })
        #expect(listing.dropFirst(2).first?.uploads.count == 2, "the listing is over")
        for pk in ["p", "new"] { #expect(try phone.phase(pk) != .synced, "the server has no \(pk)") }
    }

    @Test func `a record that is deleted here and on nobody's list is gone`() throws {
        let phone = try self.phone()
        try phone.delete("p")
        let requests = try self.sync(phone, OtherServer(verdict: Self.accepted))
        #expect(try phone.phase("p") == .absent)
        #expect(requests.dropFirst().allSatisfy { $0.uploads.isEmpty })
    }

    @Test func `a listing that breaks off goes on with the next sync, and only then is something sent`() throws {
        let phone = try self.phone()
        try phone.create(["n": 3], pk: "new")
        let server = OtherServer(verdict: Self.refused)
        try phone.sync(Meeting.collection)
        try phone.answerNext("{}", status: 410)
        try phone.answerNext(try server.answer(try #require(phone.outbox.first?.request)))
        try phone.failNext(RemoteFailure(.offline, "the network went"))
        try phone.restart()
        let requests = try self.sync(phone, server)
        #expect(requests.map(\.watermark) == ["l1", "l2"])
        #expect(requests.map(\.uploads.count) == [0, 1])
        #expect(try phone.phase("p") == .absent)
    }
}

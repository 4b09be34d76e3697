import CoreSupport
import TestSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// The effect of a full resync on local records (Contract §6).
@Suite struct FullResyncScenarioTests {
    /// A new server that has none of the phone's records. It lists two other records in pages of one, and gives the same
    /// result for every edit.
    struct OtherServer {
        /// The members `is_conflicted`, `item` and `error` of each RESULT.
        var verdict: String

        func answer(_ request: ExchangeRequest) throws -> String {
            let results = try request.encodedEdit.map { edit -> String in
                let edit = try JSON(parsing: edit)
                let (requestID, pk) = (try #require(edit["request_id"]), try #require(edit["pk"]))
                return #"{"request_id":\#(requestID.text),"pk":\#(pk.text),\#(self.verdict)}"#
            }
            let isPost = !request.uploads.isEmpty
            func page(_ pk: String?, _ cursor: String, more: Bool) -> String {
                let item = pk.map { #"{"pk":"\#($0)","updated_at":7,"is_active":true,"data":{"n":1}}"# } ?? ""
                return answerBody(
                    results: isPost ? results.joined(separator: ",") : nil, items: item,
                    cursor: #""\#(cursor)""#, more: more ? "true" : "false")
            }
            switch request.cursor {
            case nil: return page("x", "l1", more: true)
            case "l1": return page("y", "l2", more: false)
            default: return page(nil, "l2", more: false)
            }
        }
    }

    static let refused = #""is_conflicted":false,"item":null,"error":{"title":"no","status":422}"#
    static let conflictedWithNothing = #""is_conflicted":true,"item":null,"error":null"#
    static let accepted = #""is_conflicted":false,"item":null,"error":null"#

    /// A phone whose record "p" is in sync; the server that it meets next does not have it.
    private func phone(_ configuration: SyncConfiguration = SyncConfiguration()) throws -> Device {
        let phone = try Device("phone", seed: 1, clock: ManualClock(), configuration: configuration)
        try phone.sync(SyncScenario.collection)
        let item = #"{"pk":"p","updated_at":1,"is_active":true,"data":{"n":1}}"#
        try phone.answerNext(answerBody(items: item, cursor: #""old""#))
        #expect(try phone.phase("p") == .synced)
        return phone
    }

    /// Syncs once, and returns the requests in their order.
    @discardableResult
    private func sync(_ phone: Device, _ server: OtherServer) throws -> [ExchangeRequest] {
        var requests: [ExchangeRequest] = []
        try phone.sync(SyncScenario.collection)
        while let next = phone.outbox.first?.request {
            requests.append(next)
            try #require(requests.count < 20, "the device does not stop sending (I8)")
            if next.cursor == "old" {
                try phone.answerNext("{}", status: 410)
            } else {
                try phone.answerNext(try server.answer(next))
            }
        }
        return requests
    }

    @Test func `refused-while-resyncing (I3): a record that is not on the server is not in sync`() throws {
        let phone = try self.phone()
        try phone.edit("p") { $0.n = 2 }
        try self.sync(phone, OtherServer(verdict: Self.refused))
        try phone.resign("p")
        #expect(try phone.phase("p") == .absent, "the server has no such record")
        #expect(try phone.journal().map(\.raw.value) == [Array("2".utf8)])
    }

    @Test func `refused-while-resyncing: the resync asks about a local edit of a deleted record`() throws {
        let phone = try self.phone(SyncConfiguration(rules: .init(tactic: .askUser)))
        try phone.sync(SyncScenario.collection)
        try phone.answerNext("{}", status: 410)
        try phone.edit("p") { $0.n = 2 }
        let server = OtherServer(verdict: Self.refused)
        while let next = phone.outbox.first?.request { try phone.answerNext(try server.answer(next)) }
        #expect(phone.reports.last?.conflicts == ["p"])
        #expect(try phone.engine.conflict(of: "p", in: SyncScenario.collection)?.kind == .editDelete)
    }

    @Test(arguments: [Self.refused, Self.conflictedWithNothing, Self.accepted])
    func `edits wait during a full resync, and are sent at its end`(verdict: String) throws {
        let phone = try self.phone()
        try phone.edit("p") { $0.n = 2 }
        try phone.create(["n": 3], pk: "new")
        let requests = try self.sync(phone, OtherServer(verdict: verdict))
        let resync = requests.drop { $0.cursor != nil }
        #expect(resync.prefix(2).allSatisfy { $0.uploads.isEmpty })
        #expect(resync.dropFirst(2).first?.uploads.count == 2, "the full resync is complete")
        for pk in ["p", "new"] { #expect(try phone.phase(pk) != .synced, "the server has no \(pk)") }
    }

    @Test func `a record that is deleted here and missing in a full resync is removed`() throws {
        let phone = try self.phone()
        try phone.delete("p")
        let requests = try self.sync(phone, OtherServer(verdict: Self.accepted))
        #expect(try phone.phase("p") == .absent)
        #expect(requests.dropFirst().allSatisfy { $0.uploads.isEmpty })
    }

    @Test func `an interrupted full resync continues in the next sync, before any edit is sent`() throws {
        let phone = try self.phone()
        try phone.create(["n": 3], pk: "new")
        let server = OtherServer(verdict: Self.refused)
        try phone.sync(SyncScenario.collection)
        try phone.answerNext("{}", status: 410)
        try phone.answerNext(try server.answer(try #require(phone.outbox.first?.request)))
        try phone.failNext(RemoteFailure(.offline, "the network went"))
        try phone.restart()
        let requests = try self.sync(phone, server)
        #expect(requests.map(\.cursor) == ["l1", "l2"])
        #expect(requests.map(\.uploads.count) == [0, 1])
        #expect(try phone.phase("p") == .absent)
    }
}

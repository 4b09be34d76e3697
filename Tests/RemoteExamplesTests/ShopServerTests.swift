import RemoteExamples
import Synchronization
import TestSupport
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

@Suite struct `A shop` {
    typealias Case = (checks: Bool, check: RemoteConformance.Check)

    static let cases: [Case] = [true, false].flatMap { checks in
        RemoteConformance.checks(for: ShopServer(checks: checks) { _ in HTTPAnswer(status: 503) }.capabilities)
            .map { (checks, $0) }
    }

    @Test(arguments: Self.cases)
    func `the remote passes each check of its capabilities`(test: Case) async throws {
        try await test.check.run {
            let shop = FakeShop(checks: test.checks)
            return RowRemote(ShopServer(checks: test.checks, send: shop.answer))
        }
    }

    @Test(arguments: [
        ("a nested member that an edit removes is gone", "the result"),
        ("a member that an edit sets to null is null, or the edit is refused", "the edit that sets “/n” to null"),
    ])
    func `changed members as a merge patch fail a check, and a merge patch passes it`(
        name: String, subject: String
    ) async throws {
        let check = try #require(Self.cases.first { $0.check.name == name }).check
        let failure = await #expect(throws: ConformanceFailure.self) {
            try await check.run { RowRemote(ShopServer(send: FakeShop(merges: true).answer)) }
        }
        #expect(failure?.subject == subject)
        try await check.run { RowRemote(MergingShop(shop: FakeShop(merges: true))) }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>, [true, false])
    func `two devices end equal, and nothing is lost`(seed: UInt64, checks: Bool) async throws {
        let end = try await self.end(seed, checks: checks, interleaves: checks)
        #expect(end.differences.isEmpty && end.lost.isEmpty, "\(end)")
        #expect(end.lostRequests > 0 && end.lostAnswers > 0 && end.kills > 0)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `two devices end equal without conditions, even if their reads and writes overlap`(
        seed: UInt64
    ) async throws {
        let end = try await self.end(seed, checks: false, interleaves: true)
        #expect(end.differences.isEmpty, "\(end)")
    }

    private func end(_ seed: UInt64, checks: Bool, interleaves: Bool) async throws -> Story.End {
        let shop = FakeShop(checks: checks)
        var story = Story(seed: seed)
        story.form.interleaves = interleaves
        return try await story.run(server: shop.answer, rows: { shop.rows(in: "notes") }) { _, send in
            RowRemote(ShopServer(checks: checks, send: send))
        }
    }
}

/// A remote for a shop whose PATCH is a merge patch.
private struct MergingShop: RowServer {
    let shop: FakeShop
    private var server: ShopServer { ShopServer(send: self.shop.answer) }
    var capabilities: RemoteCapabilities { self.server.capabilities }

    func changes(in collection: String, after cursor: String?, limit: Int) async throws -> RowChanges {
        try await self.server.changes(in: collection, after: cursor, limit: limit)
    }

    func write(_ edit: UploadRequest, in collection: String) async throws -> RowAnswer {
        let patch = try edit.mergePatch()?.json
        let method = edit.intent == .delete ? "DELETE" : patch == nil ? "PUT" : "PATCH"
        let match = edit.versionText.map { (name: "If-Match", value: "\"\($0)\"") }
        let body = try patch ?? edit.record()
        let answer = self.shop.answer(
            HTTPRequest(
                method, "/\(collection.pathSegment)/\(edit.pk.pathSegment)",
                fields: [match ?? (name: "If-None-Match", value: "*")], body: body?.bytes))
        return try RowShape(pk: "id", version: "updated_at", deleted: "deleted").answer(answer, to: edit)
    }

    func row(_ pk: String, in collection: String) async throws -> ServerRow? {
        try await self.server.row(pk, in: collection)
    }
}

@Suite struct `The guarantees of a shop` {
    @Test(arguments: [true, false])
    func `are those that its file names`(checks: Bool) {
        let levels = ShopServer(checks: checks) { _ in HTTPAnswer(status: 503) }.capabilities.guarantees
        let notKept = levels.filter { if case .notKept = $0.value { true } else { false } }
        let reported = levels.filter { if case .reported = $0.value { true } else { false } }
        let within = levels.compactMapValues { if case .within(let time, _) = $0 { time } else { nil } }
        #expect(Set(notKept.keys) == (checks ? [.noOrphans] : [.noLostUpdates, .toleratesMessageLoss, .noOrphans]))
        #expect(Set(reported.keys) == (checks ? [.toleratesMessageLoss] : []))
        #expect(within == [.noSkippedRows: .seconds(5), .convergence: .seconds(30 * 86_400)])
    }

    private func client(_ send: @escaping Send, checks: Bool = true) throws -> SyncClient {
        try SyncClient(
            store: MemoryStore(), remote: RowRemote(ShopServer(checks: checks, send: send)),
            configuration: SyncConfiguration(accepts: [.noLostUpdates]), collections: ["notes"], time: ManualClock(),
            seed: 1)
    }

    /// The members that two devices edit at the same time, and whether the first edit disappears silently.
    @Test(arguments: [
        (true, "/a", "/a", false), (true, "/o/x", "/o/y", false), (false, "/a", "/b", false), (false, "/a", "/a", true),
        (false, "/o/x", "/o/y", true),
    ])
    func `an edit between the read and the write of another device is lost only without conditions`(
        checks: Bool, first: String, second: String, isLost: Bool
    ) async throws {
        let shop = FakeShop(checks: checks)
        let laptop = try self.client(shop.answer, checks: checks)
        let writes = Mutex(0)
        let phone = try self.client(
            { request in
                if request.method == "PATCH",
                    writes.withLock({
                        $0 += 1; return $0
                    }) == 1
                {
                    _ = try await laptop.sync()
                }
                return shop.answer(request)
            }, checks: checks)
        try await laptop["notes"].create(["a": 1, "b": 1, "o": ["x": 1, "y": 1]], pk: "1")
        for device in [laptop, phone] { _ = try await device.sync() }
        let (mine, theirs) = (try JSONPointer(parsing: first), try JSONPointer(parsing: second))
        try await laptop["notes"]["1"].edit { $0[pointer: mine] = 2 }
        try await phone["notes"]["1"].edit { $0[pointer: theirs] = 3 }
        for device in [phone, laptop, phone] { _ = try await device.sync() }
        var known = shop.rows(in: "notes")["1"]?[pointer: mine] == 2
        for device in [phone, laptop] where try await !device["notes"].journal.isEmpty { known = true }
        #expect(known == !isLost)
    }

    @Test(arguments: [(4_000, true), (6_000, false)])
    func `a row that becomes visible late is read for 5 seconds`(delay: Int, isRead: Bool) async throws {
        let shop = FakeShop()
        let phone = try self.client(shop.answer)
        func put(_ pk: String) {
            let fields = [(name: "If-None-Match", value: "*")]
            _ = shop.answer(HTTPRequest("PUT", "/notes/\(pk)", fields: fields, body: Array(#"{"a":1}"#.utf8)))
        }
        put("early")
        shop.hide(["early"])
        shop.advance(milliseconds: delay)
        put("later")
        #expect(try await phone.sync().outcome == .inSync)
        shop.hide([])
        #expect(try await phone.sync().outcome == .inSync)
        #expect(try await phone["notes"]["later"].get() != nil)
        #expect(try await (phone["notes"]["early"].get() != nil) == isRead)
    }

    @Test func `a late copy of a create is applied after the delete`() async throws {
        let shop = FakeShop()
        let copy = Mutex<HTTPRequest?>(nil)
        let phone = try self.client { request in
            if request.method == "PUT" { copy.withLock { $0 = request } }
            return shop.answer(request)
        }
        try await phone["notes"].create(["a": 1], pk: "1")
        _ = try await phone.sync()
        try await phone["notes"]["1"].delete()
        _ = try await phone.sync()
        #expect(shop.rows(in: "notes").isEmpty)
        _ = shop.answer(try #require(copy.withLock { $0 }))
        _ = try await phone.sync()
        #expect(try await phone["notes"]["1"].get()?["a"] == 1)
    }
}

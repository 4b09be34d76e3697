import RemoteExamples
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

@Suite struct `CouchDB` {
    static let checks = RemoteConformance.checks(for: remote(FakeCouch()).capabilities)

    @Test(.serialized, arguments: Self.checks)
    func `the remote passes the checks of its capabilities`(check: RemoteConformance.Check) async throws {
        try await check.run { remote(FakeCouch()) }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `two devices over a bad network end equal to the server`(seed: UInt64) async throws {
        let couch = FakeCouch()
        let end = try await Story(seed: seed).run(server: { couch.answer($0) }, rows: { couch.rows }) { _, send in
            RowRemote(CouchServer(send: send), account: "anna")
        }
        #expect(end.differences.isEmpty && end.lost.isEmpty, "\(end)")
        #expect(end.lostRequests > 0 && end.lostAnswers > 0 && end.kills > 0)
    }

    @Test func `the guarantees follow from the server's properties`() throws {
        let guarantees = remote(FakeCouch()).capabilities.guarantees
        guard case .reported = guarantees[.noLostEdits], case .reported = guarantees[.toleratesMessageLoss],
            case .notKept = guarantees[.noOrphans]
        else {
            Issue.record("other guarantees: \(guarantees)")
            return
        }
        let others = guarantees.filter { ![.noLostEdits, .toleratesMessageLoss, .noOrphans].contains($0.key) }
        #expect(others.values.allSatisfy { $0 == .kept })
    }

    @Test func `100 edits take 4 requests`() async throws {
        let couch = FakeCouch()
        let phone = try device(over: remote(couch))
        #expect(try await phone.sync().outcome == .inSync)
        #expect(couch.requests == 2)
        for number in 1...100 { try await phone["notes"].create(["n": .number(JSONNumber(number))], pk: "r\(number)") }
        #expect(try await phone.sync().outcome == .inSync)
        #expect(couch.requests == 2 + 4)
        #expect(couch.rows.count == 100)
    }

    @Test func `a database that was made again is noticed before a write`() async throws {
        let couch = FakeCouch()
        let first = try await remote(couch).exchange(ExchangeRequest(collection: "notes", cursor: nil, limit: 10))
        couch.makeAgain()
        let upload = try UploadRequest(
            encodedEdit: Array(
                #"{"request_id":"r","pk":"a","sync_state":"CREATED","edited_data":[{"op":"add","path":"","value":{}}]}"#
                    .utf8))
        let failure = await #expect(throws: RemoteFailure.self) {
            try await remote(couch).exchange(
                ExchangeRequest(
                    collection: "notes", uploads: [upload], cursor: first.cursor, limit: 10,
                    known: ServerIdentity(account: "anna", epoch: first.epoch)))
        }
        #expect(failure?.failureClass == .historyLost)
        #expect(couch.rows.isEmpty)
    }

    @Test func `an edit keeps the attachments`() async throws {
        let couch = FakeCouch()
        let attachments: JSON = ["photo.png": ["content_type": "image/png", "stub": true]]
        couch.put("a", ["_attachments": attachments, "n": 1])
        let phone = try device(over: remote(couch))
        _ = try await phone.sync()
        try await phone["notes"]["a"].edit { $0["n"] = 2 }
        #expect(try await phone.sync().outcome == .inSync)
        #expect(couch.rows["a"]?["_attachments"] == attachments)
        #expect(couch.rows["a"]?["n"] == 2)
    }

    @Test func `pages of two have all rows`() async throws {
        let couch = FakeCouch()
        for number in 1...5 { couch.put("r\(number)", ["n": 1]) }
        var (pks, cursor, hasMore) = ([String](), String?.none, true)
        while hasMore {
            let answer = try await remote(couch).exchange(
                ExchangeRequest(collection: "notes", cursor: cursor, limit: 2))
            pks += answer.page.rows.map { answer.page.pk(of: $0) }
            (cursor, hasMore) = (answer.cursor, answer.hasMore)
        }
        #expect(pks == ["r1", "r2", "r3", "r4", "r5"])
    }

    @Test func `design documents are no records`() async throws {
        let couch = FakeCouch()
        let phone = try device(over: remote(couch))
        couch.put("_design/view", ["language": "javascript"])
        couch.put("a", ["n": 1])
        #expect(try await phone.sync().outcome == .inSync)
        #expect(try await phone["notes"].list().map(\.pk) == ["a"])
    }

    @Test func `another client's write after an accepted one does not count as its result`() async throws {
        let couch = FakeCouch()
        let phone = try device(
            over: RowRemote(
                CouchServer { request in
                    if couch.rows["a"]?["n"] == 2, request.target.contains("_all_docs") { couch.put("a", ["n": 3]) }
                    return couch.answer(request)
                }, account: "anna"))
        try await phone["notes"].create(["n": 1], pk: "a")
        _ = try await phone.sync()
        try await phone["notes"]["a"].edit { $0["n"] = 2 }
        #expect(try await phone.sync().outcome == .inSync)
        #expect(try await phone["notes"]["a"].get()?["n"] == 3)
        #expect(try await phone["notes"].journal.isEmpty)
    }

    @Test func `a document that can't be stored is refused alone`() async throws {
        let couch = FakeCouch()
        couch.forbid("secret")
        let phone = try device(over: remote(couch))
        for (pk, name) in [("a", "n"), ("b", "_zing"), ("c", "secret"), ("_d", "n"), ("e", "n")] {
            try await phone["notes"].create([name: 1], pk: pk)
        }
        #expect(try await phone.sync().outcome == .held)
        #expect(try await phone["notes"].status.held.map(\.pk).sorted() == ["_d", "b", "c"])
        #expect(couch.rows.keys.sorted() == ["a", "e"])
    }

    @Test func `a malformed cursor is lost history`() async throws {
        let request = ExchangeRequest(collection: "notes", cursor: "+nonsense", limit: 10)
        let failure = await #expect(throws: RemoteFailure.self) { try await remote(FakeCouch()).exchange(request) }
        #expect(failure?.failureClass == .historyLost)
    }
}

/// A remote over a fake.
private func remote(_ couch: FakeCouch) -> RowRemote<CouchServer> {
    RowRemote(CouchServer { couch.answer($0) }, account: "anna")
}

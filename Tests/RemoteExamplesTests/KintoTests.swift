import RemoteExamples
import Testing
import TidemarkAdapters
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

@Suite struct `Kinto` {
    static let checks = RemoteConformance.checks(for: KintoServer { _ in HTTPAnswer(status: 500) }.capabilities)

    /// How a server differs from a usual one.
    enum Form: CaseIterable {
        case usual, smallPages, collisions

        func make(seed: UInt64) -> FakeKinto {
            switch self {
            case .usual: FakeKinto()
            case .smallPages: FakeKinto(pageLimit: 2)
            case .collisions: FakeKinto(collisions: seed)
            }
        }
    }

    @Test(.serialized, arguments: Self.checks, [Form.usual, .smallPages])
    func `the remote passes the checks of its capabilities`(check: RemoteConformance.Check, form: Form) async throws {
        try await check.run { remote(form.make(seed: 1)) }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>, Form.allCases)
    func `two devices over a bad network end equal to the server`(seed: UInt64, form: Form) async throws {
        let kinto = form.make(seed: seed)
        let end = try await Story(seed: seed).run(server: { kinto.answer($0) }, rows: { kinto.rows() }) { _, send in
            RowRemote(KintoServer(send: send))
        }
        #expect(end.differences.isEmpty && end.lost.isEmpty, "\(end)")
        #expect(end.lostRequests > 0 && end.lostAnswers > 0 && end.kills > 0)
    }

    @Test func `the guarantees follow from the server's properties`() throws {
        let guarantees = remote(FakeKinto()).capabilities.guarantees
        for guarantee in [SyncGuarantee.exactData, .immutableUploads, .oneOutcome, .boundedRequests, .crashRecovery] {
            #expect(guarantees[guarantee] == .kept)
        }
        guard case .within(.seconds(2), _) = guarantees[.noLostUpdates], case .reported = guarantees[.noLostEdits],
            case .within(.seconds(2_592_000), _) = guarantees[.convergence],
            case .within(.seconds(5), _) = guarantees[.noSkippedRows],
            case .reported = guarantees[.toleratesMessageLoss], case .notKept = guarantees[.noOrphans]
        else {
            Issue.record("other guarantees: \(guarantees)")
            return
        }
    }

    @Test func `100 edits take 6 requests`() async throws {
        let kinto = FakeKinto()
        let phone = try device(over: remote(kinto))
        #expect(try await phone.sync().outcome == .inSync)
        #expect(kinto.requests == 2)
        for number in 1...100 { try await phone["notes"].create(["n": .number(JSONNumber(number))], pk: "r\(number)") }
        let report = try await phone.sync()
        #expect(report.outcome == .inSync)
        #expect(kinto.requests == 2 + 6)
        #expect(kinto.rows().count == 100)
    }

    @Test func `a row that becomes visible late is read (I6)`() async throws {
        let kinto = FakeKinto()
        let (phone, laptop) = (try device(over: remote(kinto)), try device(over: remote(kinto), seed: 2))
        _ = try await phone.sync()
        let end = kinto.begin("late", ["n": 1])
        try await laptop["notes"].create(["n": 2], pk: "early")
        for device in [laptop, phone] { _ = try await device.sync() }
        #expect(try await phone["notes"].list().map(\.pk) == ["early"])
        end()
        _ = try await phone.sync()
        #expect(try await phone["notes"]["late"].get() == ["n": 1, "id": "late", "last_modified": 1_795_000_005_000])
    }

    @Test func `after a 409 in a batch the edits before it are unknown, and are sent again`() async throws {
        let (kinto, clock) = (FakeKinto(collisions: 3), ManualClock())
        let phone = try device(over: remote(kinto), clock: clock)
        for number in 1...25 { try await phone["notes"].create(["n": .number(JSONNumber(number))], pk: "r\(number)") }
        let first = try await phone.sync()
        #expect(kinto.rows().count < 25, "the seed has no collision")
        var last = first
        for _ in 1...40 where last.outcome != .inSync {
            clock.advance(by: .seconds(600))
            last = try await phone.sync()
        }
        #expect(last.outcome == .inSync)
        #expect(kinto.rows().count == 25)
        #expect(try await phone["notes"].journal.isEmpty)
    }

    @Test func `a batch that fails does not affect the results of earlier batches`() async throws {
        let kinto = FakeKinto()
        let phone = try device(
            over: RowRemote(
                KintoServer { request in
                    let isSecond = request.target == "/batch" && kinto.rows().count == 25
                    return isSecond ? HTTPAnswer(status: 503) : kinto.answer(request)
                }))
        for number in 1...30 { try await phone["notes"].create(["n": .number(JSONNumber(number))], pk: "r\(number)") }
        #expect(try await phone.sync().collections.first?.pushed.count == 25)
        #expect(kinto.rows().count == 25)
    }

    @Test func `a lost update within the watch is sent again, and journalled (I1)`() async throws {
        let kinto = FakeKinto()
        let phone = try device(over: remote(kinto))
        try await phone["notes"].create(["n": 1], pk: "r")
        _ = try await phone.sync()
        try await phone["notes"]["r"].edit { $0["n"] = 2 }
        _ = try await phone.sync()
        // Another writer, whose version was checked before the phone wrote, ends its write.
        kinto.begin("r", ["n": 1, "m": 1])()
        for _ in 1...3 { _ = try await phone.sync() }
        #expect(kinto.rows()["r"]?["n"] == 2)
        #expect(kinto.rows()["r"]?["m"] == 1)
        #expect(try await phone["notes"].journal.map(\.reason) == [.overwritten])
    }

    @Test func `a purged tombstone makes the list older than the cursor: a full resync finds the deletion`()
        async throws
    {
        let kinto = FakeKinto()
        let (phone, laptop) = (try device(over: remote(kinto)), try device(over: remote(kinto), seed: 2))
        for pk in ["a", "b"] { try await phone["notes"].create(["n": 1], pk: pk) }
        for device in [phone, laptop] { _ = try await device.sync() }
        try await phone["notes"]["b"].delete()
        _ = try await phone.sync()
        kinto.purge()
        #expect(try await phone.sync().outcome == .inSync)
        #expect(try await laptop.sync().outcome == .inSync)
        for device in [phone, laptop] { #expect(try await device["notes"].list().map(\.pk) == ["a"]) }
    }

    @Test func `an emptied server and another account are noticed before a write`() async throws {
        let kinto = FakeKinto()
        let phone = try device(over: remote(kinto))
        try await phone["notes"].create(["n": 1], pk: "a")
        _ = try await phone.sync()
        kinto.change(user: "basicauth:ben")
        try await phone["notes"].create(["n": 1], pk: "b")
        #expect(try await phone.sync().outcome == .unauthorized)
        #expect(kinto.rows().keys.sorted() == ["a"])
        kinto.change(user: "basicauth:anna")
        kinto.flush()
        let failure = await #expect(throws: RemoteFailure.self) {
            try await remote(kinto).exchange(
                ExchangeRequest(
                    collection: "notes", cursor: "+1", limit: 1, known: ServerIdentity(account: nil, epoch: "1")))
        }
        #expect(failure?.failureClass == .historyLost)
    }

    @Test func `a refused cursor begins a full resync`() async throws {
        let request = ExchangeRequest(collection: "notes", cursor: "+9999999999999", limit: 10)
        let failure = await #expect(throws: RemoteFailure.self) { try await remote(FakeKinto()).exchange(request) }
        #expect(failure?.failureClass == .historyLost)
    }

    @Test func `the server's wait and message reach the client`() async throws {
        let alert = #"{"code":"soft-eol","message":"This server ends in May.","url":"https://kinto.example"}"#
        let kinto = FakeKinto(fields: [(name: "Backoff", value: "30"), (name: "Alert", value: alert)])
        let answer = try await remote(kinto).exchange(ExchangeRequest(collection: "notes", cursor: nil, limit: 10))
        #expect(answer.wait == .seconds(30))
        #expect(answer.notices == ["This server ends in May."])
        let busy = RowRemote(KintoServer { _ in HTTPAnswer(status: 503, fields: [(name: "Retry-After", value: "7")]) })
        let failure = await #expect(throws: RemoteFailure.self) {
            try await busy.exchange(ExchangeRequest(collection: "notes", cursor: nil, limit: 10))
        }
        #expect(failure?.failureClass == .busy)
        #expect(failure?.retryAfter == .delay(.seconds(7)))
    }

    @Test func `an id that Kinto does not allow is refused alone`() async throws {
        let kinto = FakeKinto()
        let phone = try device(over: remote(kinto))
        for pk in ["a", "b/c d", "e"] { try await phone["notes"].create(["n": 1], pk: pk) }
        #expect(try await phone.sync().outcome == .held)
        #expect(try await phone["notes"].status.held.map(\.pk) == ["b/c d"])
        #expect(kinto.rows().keys.sorted() == ["a", "e"])
    }
}

/// A remote over a fake.
private func remote(_ kinto: FakeKinto) -> RowRemote<KintoServer> { RowRemote(KintoServer { kinto.answer($0) }) }

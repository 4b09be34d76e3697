import Synchronization
import TestSupport
import Testing
import TidemarkCore
import TidemarkInspector
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// A phone and a tablet; the phone asks its user about conflicts.
private struct Devices {
    let server: InProcessServer
    let trouble: TroubleRemote
    let phone: SyncClient
    let tablet: SyncClient

    init() throws {
        let server = try InProcessServer()
        var configuration = SyncConfiguration()
        configuration.rules.tactic = .askUser
        configuration.traceLimit = 100
        self.server = server
        self.trouble = TroubleRemote(wrapping: InProcessRemote(server))
        self.phone = try SyncClient(
            store: MemoryStore(), remote: self.trouble, configuration: configuration, time: server.clock, seed: 1)
        self.tablet = try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(server), configuration: SyncConfiguration(),
            time: server.clock, seed: 2)
    }

    /// Both devices change two fields of a record.
    func makeConflict() async throws {
        try await self.phone["notes"].create(["title": "Milk", "due": 1], pk: "42")
        _ = try await self.phone.sync(["notes"])
        _ = try await self.tablet.sync(["notes"])
        try await self.tablet["notes"]["42"].edit { ($0.title, $0.due) = ("Soy milk", 2) }
        _ = try await self.tablet.sync(["notes"])
        try await self.phone["notes"]["42"].edit { ($0.title, $0.due) = ("Oat milk", 3) }
        _ = try await self.phone.sync(["notes"])
    }

    func data(_ limits: InspectorLimits = InspectorLimits()) async throws -> JSON {
        let source = InspectorData.Source(title: "phone.db") { words, collection, pk in
            "\(words.joined(separator: " ")) \(collection) \(pk ?? "")"
        }
        return try JSON(
            parsing: await InspectorData.read(self.phone, from: source, now: .seconds(1), limits: limits))
    }
}

@Suite struct `The data of an inspector` {
    @Test func `are read at the port that the link names`() throws {
        let inspector = try Inspector(try Devices().phone)
        #expect(inspector.port != 0 && inspector.makeLink().hasPrefix("http://127.0.0.1:\(inspector.port)/"))
    }

    @Test func `show a conflict as a problem, by field, and in the state diagram`() async throws {
        let devices = try Devices()
        try await devices.makeConflict()
        let data = try await devices.data()
        let problem = try #require(data["problems"]?["items"]?[0])
        #expect(problem["kind"] == "conflict" && problem["pk"] == "42")
        #expect(problem["why"]?.string?.contains("/title") == true)
        #expect(problem["commands"]?[0] == "resolve --take server notes 42")
        let clashes = try #require(data["conflicts"]?["items"]?[0]?["clashes"]?.array)
        #expect(clashes.map { $0["path"]?.string } == ["/due", "/title"])
        #expect(clashes[1]["base"]?.string == #""Milk""# && clashes[1]["server"]?.string == #""Soy milk""#)
        let record = try #require(data["records"]?[0])
        #expect(record["phase"] == "EDITED.deciding")
        #expect(record["base"]?.string?.contains("Milk") == true && record["seen"]?.string?.contains("Soy") == true)
        let nodes = try #require(data["diagram"]?["nodes"]?.array)
        #expect(nodes.first { $0["phase"] == "EDITED.deciding" }?["count"] == 1)
        let row = try #require(data["rows"]?["items"]?[0]?.array)
        #expect(nodes[try #require(row[2].int)]["phase"] == "EDITED.deciding")
        #expect(row[3].string?.contains("Oat milk") == true)
        #expect(data["collections"]?[0]?["conflicts"] == 1)
    }

    /// Every line of the timeline is a line of the trace.
    @Test func `have a timeline that equals the trace`() async throws {
        let devices = try Devices()
        try await devices.makeConflict()
        let steps = try #require(try await devices.data()["timeline"]?["items"]?.array)
        let trace = try await devices.phone.trace
        #expect(steps.count == trace.entries.count && steps.count > 5)
        for (step, entry) in zip(steps.reversed(), trace.entries) {
            #expect(step["n"]?.int == Int(entry.number))
            guard case .record(let transition) = entry.step else { continue }
            #expect(step["pk"]?.string == transition.pk && step["event"]?.string == transition.event.rawValue)
            #expect(step["from"]?.string == transition.source.description)
            #expect(step["to"]?.string == transition.target.description)
        }
    }

    @Test func `keep the digits of numbers, and cut lists at their limits`() async throws {
        let devices = try Devices()
        for number in 1...20 {
            try await devices.phone["notes"].create(
                ["n": try JSON(parsing: Array("1.\(number)0".utf8))], pk: "\(number)")
        }
        var limits = InspectorLimits()
        (limits.rows, limits.records, limits.steps, limits.rowText) = (5, 3, 4, 2)
        let data = try await devices.data(limits)
        #expect(data["rows"]?["total"] == 20 && data["rows"]?["items"]?.array?.count == 5)
        #expect(data["rows"]?["items"]?[0]?[3] == "1.")
        #expect(data["records"]?.array?.count == 3 && data["timeline"]?["items"]?.array?.count == 4)
        #expect(data["records"]?[0]?["view"]?.string == #"{"n":1.10}"#)
        #expect(data["queue"]?["total"] == 20)
        #expect(data["diagram"]?["nodes"]?.array?.compactMap { $0["count"]?.int }.reduce(0, +) == 20)
    }

    /// The records come in the order of their pks, and the urgent one is the last.
    @Test func `have the contents of urgent records first`() async throws {
        let devices = try Devices()
        for number in 10..<40 { try await devices.tablet["notes"].create([:], pk: "\(number)") }
        _ = try await devices.tablet.sync(["notes"])
        _ = try await devices.phone.sync(["notes"])
        try await devices.phone["notes"].create(["urgent": true], pk: "z")
        var limits = InspectorLimits()
        limits.records = 10
        let records = try #require(try await devices.data(limits)["records"]?.array)
        #expect(records.first?["pk"] == "z" && records.count == 6)
    }

    @Test func `become a page in which no text of a record is markup`() async throws {
        let devices = try Devices()
        let text = "</script><!--<b>&\u{2028}\u{2029}"
        try await devices.phone["notes"].create(["text": .string(JSONString(text))], pk: text)
        let source = InspectorData.Source(title: text)
        let data = try await InspectorData.read(devices.phone, from: source, now: .zero)
        let page = String(decoding: InspectorPage.file(data), as: UTF8.self)
        let start = try #require(page.firstRange(of: #"<script type="application/json" id="data">"#))
        let embedded = page[start.upperBound...].prefix { $0 != "<" }
        for sign in ["<", ">", "&", "\u{2028}", "\u{2029}"] { #expect(!embedded.contains(sign)) }
        let read = try JSON(parsing: Array(embedded.utf8))
        #expect(read["title"]?.string == text && read["records"]?[0]?["pk"]?.string == text)
    }
}

@Suite struct `A live inspector` {
    private func act(_ body: String, in devices: Devices) async -> (isDone: Bool, message: String) {
        do {
            let source = ClientSource(devices.phone, devices.trouble)
            return (true, try await source.act(try InspectorAction(Array(body.utf8))))
        } catch {
            return (false, (error as? InspectorRefusal)?.message ?? "\(error)")
        }
    }

    private func record(_ pk: String, of devices: Devices) async throws -> JSON {
        try JSON(
            parsing: try #require(
                try await InspectorData.record(pk, of: devices.phone["notes"], allowsActions: true)))
    }

    @Test func `decides by field what was shown`() async throws {
        let devices = try Devices()
        try await devices.makeConflict()
        let digest = try #require(try await self.record("42", of: devices)["digest"]?.string)
        let body = #"{"action":"resolve","collection":"notes","pk":"42","digest":"\#(digest)","answers":"#
        let wrong = await self.act(body + #"[{"path":"/title","take":"server"}]}"#, in: devices)
        #expect(!wrong.isDone)
        let answer = await self.act(
            body + #"[{"path":"/title","take":"server"},{"path":"/due","value":"2.50"}]}"#, in: devices)
        #expect(answer.isDone, "\(answer.message)")
        _ = try await devices.phone.sync(["notes"])
        let text = try await devices.phone["notes"]["42"].get()?.text
        #expect(text?.contains("2.50") == true && text?.contains("Soy milk") == true)
        #expect(try await devices.data()["problems"]?["total"] == 0)
    }

    /// The page is some seconds old: the app has edited the record since.
    @Test(arguments: ["retry", "resign", "restore", "resolve", "keepBoth"])
    func `does nothing about a record that was changed since it was shown`(action: String) async throws {
        let devices = try Devices()
        try await devices.makeConflict()
        let digest = try #require(try await self.record("42", of: devices)["digest"]?.string)
        try await devices.phone["notes"]["42"].edit { $0.due = 4 }
        let before = try await devices.phone["notes"]["42"].snapshot()
        let answer = await self.act(
            #"{"action":"\#(action)","entry":1,"collection":"notes","pk":"42","digest":"\#(digest)","#
                + #""answers":[{"path":"/title","take":"server"},{"path":"/due","take":"server"}]}"#, in: devices)
        #expect(!answer.isDone && answer.message.contains("has changed since it was shown"), "\(answer.message)")
        #expect(try await devices.phone["notes"]["42"].snapshot() == before)
    }

    /// Without a network the run loop tries the upload of the record again and again.
    @Test func `acts on a record whose upload has begun and failed since it was shown`() async throws {
        let devices = try Devices()
        try await devices.phone["notes"].create([:], pk: "42")
        #expect(try await devices.phone.sync(["notes"]).outcome == .inSync)
        try await devices.phone["notes"]["42"].edit { $0.due = 4 }
        let digest = try #require(try await self.record("42", of: devices)["digest"]?.string)
        #expect(await self.act(#"{"action":"offline","on":true}"#, in: devices).isDone)
        #expect(try await devices.phone.sync(["notes"]).outcome == .unreachable)
        let answer = await self.act(
            #"{"action":"resign","collection":"notes","pk":"42","digest":"\#(digest)"}"#, in: devices)
        #expect(answer.isDone, "\(answer.message)")
        #expect(try await devices.phone["notes"]["42"].get()?.due == nil)
    }

    @Test func `makes trouble, and shows the requests`() async throws {
        let devices = try Devices()
        try await devices.phone["notes"].create([:], pk: "1")
        #expect(await self.act(#"{"action":"offline","on":true}"#, in: devices).isDone)
        #expect(try await devices.phone.sync(["notes"]).outcome == .unreachable)
        #expect(await self.act(#"{"action":"offline","on":false}"#, in: devices).isDone)
        #expect(await self.act(#"{"action":"loseNextAnswer"}"#, in: devices).isDone)
        #expect(try await devices.phone.sync(["notes"]).outcome == .unreachable)
        #expect(try await devices.phone["notes"]["1"].snapshot()?.phase == .created(.unconfirmed))
        #expect(devices.trouble.requests.map(\.failure) == ["offline", "offline"])
        devices.server.clock.advance(by: .seconds(600))
        #expect(try await devices.phone.sync(["notes"]).outcome == .inSync)
        #expect(try await devices.tablet.sync(["notes"]).collections[0].pulled == 1)
    }

    @Test func `holds requests until they are delivered, or cancelled`() async throws {
        let devices = try Devices()
        devices.trouble.isHolding = true
        let sync = Task { try await devices.phone.sync(["notes"]) }
        await eventually("a request is held") { devices.trouble.heldCount == 1 }
        devices.trouble.isHolding = false
        #expect(try await sync.value.outcome == .inSync)
        devices.trouble.isHolding = true
        let cancelled = Task { try await devices.phone.sync(["notes"]) }
        await eventually("the next request is held") { devices.trouble.heldCount == 1 }
        cancelled.cancel()
        let error = await #expect(throws: TidemarkError.self) { _ = try await cancelled.value }
        #expect(error?.code == .cancelled && devices.trouble.heldCount == 0)
    }

    @Test func `gives data only if something has changed`() async throws {
        let devices = try Devices()
        let source = ClientSource(devices.phone, devices.trouble)
        let first = try #require(try await source.data(since: nil))
        #expect(try await source.data(since: first.revision) == nil)
        try await devices.phone["notes"].create([:], pk: "1")
        let second = try #require(try await source.data(since: first.revision))
        #expect(second.revision != first.revision)
        devices.trouble.isOffline = true
        #expect(try await source.data(since: second.revision) != nil)
    }
}

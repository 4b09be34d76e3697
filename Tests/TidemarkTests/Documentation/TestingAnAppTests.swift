import Testing
import Tidemark
import TidemarkTesting

// The tests of "Testing an app", word for word.

@Test func `two users' edits of different fields of a note are both kept`() async throws {
    let server = try InProcessServer()
    let phone = try SyncClient(store: MemoryStore(), remote: InProcessRemote(server))["notes"]
    let tablet = try SyncClient(store: MemoryStore(), remote: InProcessRemote(server))["notes"]

    try await phone.create(["title": "Milk"], pk: "42")
    for device in [phone, tablet] { _ = try await device.sync() }

    try await phone["42"].edit { $0.title = "Oat milk" }
    try await tablet["42"].edit { $0.done = true }
    for device in [phone, tablet, phone] { _ = try await device.sync() }

    #expect(try await phone["42"].get() == ["title": "Oat milk", "done": true])
    #expect(try await tablet["42"].get() == ["title": "Oat milk", "done": true])
}

@Test func `an edit whose answer is lost stays unconfirmed and is not lost`() async throws {
    let server = try InProcessServer()
    let network = PausedNetwork(InProcessRemote(server))
    let notes = try SyncClient(store: MemoryStore(), remote: network)["notes"]
    try await notes.create(["title": "Milk"], pk: "42")

    async let first = notes.sync()
    try await network.next().dropAnswer()
    #expect(try await first.outcome == .unreachable)
    #expect(try await notes["42"].snapshot()?.phase == .created(.unconfirmed))
}

@Test func `a sync that another task started sends the edit`() async throws {
    let server = try InProcessServer()
    let network = PausedNetwork(InProcessRemote(server))
    let client = try SyncClient(store: MemoryStore(), remote: network)
    async let _ = network.deliverAll()

    try await client["notes"].create(["title": "Milk"], pk: "42")
    Task { try await client.sync() }
    try await client.settled()
    #expect(try await client["notes"]["42"].snapshot()?.phase == .synced)
}

@Test(arguments: 1...20 as ClosedRange<UInt64>)
func `a note arrives over a network that loses a quarter of the messages`(seed: UInt64) async throws {
    let server = try InProcessServer()
    let network = PausedNetwork(InProcessRemote(server))
    let client = try SyncClient(
        store: MemoryStore(), remote: network, configuration: SyncConfiguration(), time: server.clock, seed: seed)
    async let _ = network.deliverAll(losing: 0.25, doubling: 0.25, seed: seed)

    try await client["notes"].create(["title": "Milk"], pk: "42")
    try await client.settled(advancing: server.clock)
    #expect(try await client["notes"]["42"].snapshot()?.phase == .synced)
}

@Test func `a change that fails on a full disk is absent after a restart`() async throws {
    let remote = InProcessRemote(try InProcessServer())
    let disk = MemoryDisk()
    let store = try disk.open()
    store.failNextWrite(after: 3, with: TidemarkError(.storeFull, "The disk is full."))
    let first = try SyncClient(store: store, remote: remote)
    try await first["notes"].create(["title": "Milk"], pk: "42")
    let error = await #expect(throws: TidemarkError.self) {
        try await first["notes"].create(["title": "Bread"], pk: "43")
    }
    #expect(error?.code == .storeFull)
    await first.close()

    let second = try SyncClient(store: disk.open(), remote: remote)
    #expect(try await second["notes"].list().map(\.pk) == ["42"])
}

@Test func `a replayed trace of a phone has no differences`() async throws {
    let configuration = SyncConfiguration(traceLimit: 1_000)
    let remote = InProcessRemote(try InProcessServer())
    let phone = try SyncClient(store: MemoryStore(), remote: remote, configuration: configuration)
    try await phone["notes"].create(["title": "Milk"], pk: "42")
    _ = try await phone.sync()

    let file = try await phone.trace.withoutNames().text
    #expect(try SyncTrace(parsing: file).differences() == [])
}

struct CheckingRemote: Remote {
    let remote: InProcessRemote
    let problem: @Sendable (UploadRequest) -> ProblemDetails?

    var capabilities: RemoteCapabilities { remote.capabilities }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        var passed = request
        passed.uploads.removeAll { problem($0) != nil }
        var answer = try await remote.exchange(passed)
        for upload in request.uploads {
            guard let problem = problem(upload) else { continue }
            answer.results.append(UploadResult(requestID: upload.requestID, outcome: .refused(problem)))
        }
        return answer
    }
}

@Test func `a refusal names the field`() async throws {
    let remote = CheckingRemote(remote: InProcessRemote(try InProcessServer())) { upload in
        guard upload.patch?.json.text.contains("forbidden") == true else { return nil }
        return ProblemDetails(status: 422, title: "Invalid", document: ["errors": ["title": ["is not allowed"]]])
    }
    let notes = try SyncClient(store: MemoryStore(), remote: remote)["notes"]
    try await notes.create(["title": "forbidden"], pk: "42")
    _ = try await notes.sync()
    #expect(try await notes["42"].snapshot()?.hold?.problem?.errors == ["/title": ["is not allowed"]])
}

@MainActor func shows(_ isSo: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(10)
    while !isSo() {
        try #require(ContinuousClock.now < end, "the model does not show it")
        await Task.yield()
    }
}

@Test @MainActor func `the list shows a new note`() async throws {
    let notes = try SyncClient(store: MemoryStore(), remote: InProcessRemote(try InProcessServer()))["notes"]
    let list = RecordListModel(notes, RecordQuery(where: JSONField<String>("/title") == "Milk"))
    let task = Task { await list.follow() }
    try await shows { list.isLoaded }
    try await notes.create(["title": "Milk"], pk: "42")
    try await shows { list.records.map(\.pk) == ["42"] }
    task.cancel()
    await task.value
}

import Testing
import Tidemark
import TidemarkTesting

// The tests of "Testing an app", as they stand there.

@Test func `what two people write into one note is all there`() async throws {
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

@Test func `an answer that is lost is no edit that is lost`() async throws {
    let server = try InProcessServer()
    let network = HeldNetwork(InProcessRemote(server))
    let notes = try SyncClient(store: MemoryStore(), remote: network)["notes"]
    try await notes.create(["title": "Milk"], pk: "42")

    async let first = notes.sync()
    await network.next().dropAnswer()
    #expect(try await first.outcome == .unreachable)
    #expect(try await notes["42"].snapshot()?.phase == .created(.unconfirmed))
}

@Test func `what a phone did, its machines would do here`() async throws {
    let configuration = SyncConfiguration(traceLimit: 1_000)
    let remote = InProcessRemote(try InProcessServer())
    let phone = try SyncClient(store: MemoryStore(), remote: remote, configuration: configuration)
    try await phone["notes"].create(["title": "Milk"], pk: "42")
    _ = try await phone.sync()

    let file = try await phone.trace.withoutNames().text
    #expect(try SyncTrace(parsing: file).differences() == [])
}

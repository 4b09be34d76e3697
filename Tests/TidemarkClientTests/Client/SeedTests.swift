import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

@Suite struct `Devices with one seed` {
    let server: InProcessServer

    init() throws { self.server = try InProcessServer() }

    private func notes() throws(TidemarkError) -> SyncCollection<JSON> {
        try SyncClient(
            store: MemoryStore(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
            time: self.server.clock, seed: 1)["notes"]
    }

    @Test func `two clients with the same seed make different request ids and pks`() async throws {
        let (phone, tablet) = (try self.notes(), try self.notes())
        let pks = [try await phone.create(["title": "Milk"]).pk, try await tablet.create(["title": "Bread"]).pk]
        #expect(pks[0] != pks[1])
        for device in [phone, tablet, phone] { #expect(try await device.sync().outcome == .inSync) }
        for device in [phone, tablet] { #expect(Set(try await device.list().map(\.pk)) == Set(pks)) }
    }

    @Test func `a client that is made again with its seed makes new request ids`() async throws {
        let disk = MemoryDisk()
        for number in 1...3 {
            let client = try SyncClient(
                store: disk.open(), remote: InProcessRemote(self.server), configuration: SyncConfiguration(),
                time: self.server.clock, seed: 1)
            try await client["notes"].create(["n": .number(.init(number))])
            #expect(try await client.sync().outcome == .inSync)
            await client.close()
        }
    }

    @Test func `devices of different names make different request ids and different pks`() throws {
        let remote = InProcessRemote(self.server)
        var pks: Set<String> = []
        for name in ["phone", "tablet"] {
            let device = try Device(name, seed: 1, clock: self.server.clock)
            try device.run { (engine) throws(TidemarkError) in
                let created = try engine.create(["title": "Milk"], pk: nil, in: "notes")
                pks.insert(created.value.pk)
                return created.effects
            }
            try device.sync("notes")
            while !device.outbox.isEmpty {
                let sent = device.outbox.removeFirst()
                try device.receive(try remote.exchangeNow(sent.request), for: sent.token)
            }
            #expect(device.reports.map(\.outcome) == [.inSync])
        }
        #expect(pks.count == 2)
    }
}

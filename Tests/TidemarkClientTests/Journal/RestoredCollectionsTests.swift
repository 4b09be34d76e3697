import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct RestoredCollectionsTests {
    @Test func `the values that were lost for a reason are restored in every collection`() async throws {
        let devices = try ClientPair(SyncConfiguration(rules: CollectionRules(tactic: .takeServer)))
        let names = ["lists", "notes"]
        for name in names { try await devices.phone[name].create(["title": "Milk"], pk: "42") }
        _ = try await devices.phone.sync(names)
        _ = try await devices.tablet.sync(names)
        for (client, title) in [(devices.tablet, "Soy milk"), (devices.phone, "Oat milk")] {
            for name in names { try await client[name]["42"].edit { $0.title = JSON(title) } }
            _ = try await client.sync(names)
        }
        for name in names { #expect(try await devices.phone[name]["42"].get()?.title == "Soy milk") }

        #expect(try await devices.phone.restoreAll(reason: .merge).allSatisfy(\.restored.isEmpty))
        let restorations = try await devices.phone.restoreAll(reason: .takeServer)
        #expect(restorations.map(\.collection) == names)
        #expect(restorations.map(\.restored.count) == [1, 1] && restorations.allSatisfy(\.left.isEmpty))
        for name in names { #expect(try await devices.phone[name]["42"].get()?.title == "Oat milk") }
    }
}

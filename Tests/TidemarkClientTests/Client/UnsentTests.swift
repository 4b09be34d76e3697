import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

@Suite struct UnsentTests {
    let pair: ClientPair
    var phone: SyncClient { self.pair.phone }

    init() throws {
        self.pair = try ClientPair()
    }

    private func make() async throws {
        try await self.phone["tags"].create(["n": 1], pk: "home")
        try await self.phone["notes"].create(["n": 1], pk: "42")
        try await self.phone["notes"].create(["n": 1], pk: "7")
    }

    @Test func `the first answer names the account of the store`() async throws {
        #expect(try await self.phone.account == nil)
        try await self.make()
        _ = try await self.phone.sync()
        let account = try #require(try await self.phone.account)
        _ = try await self.pair.tablet.sync(["notes"])
        #expect(try await self.pair.tablet.account == account)
    }

    @Test func `unsent changes of all collections are counted and named`() async throws {
        #expect(try await self.phone.unsent.isEmpty)
        try await self.make()
        let unsent = try await self.phone.unsent
        #expect(unsent.count == 3)
        #expect(unsent.counts.map(\.collection) == ["notes", "tags"])
        #expect(unsent.counts.map(\.count) == [2, 1])
        #expect(unsent.names.map(\.pk) == ["42", "7", "home"])
        _ = try await self.phone.sync()
        #expect(try await self.phone.unsent.isEmpty)
        try await self.phone["notes"]["7"].delete()
        #expect(try await self.phone.unsent.names == [.init(collection: "notes", pk: "7")])
    }

    @Test func `unsent records are named up to a limit, and all are counted`() async throws {
        let count = SyncClient.UnsentChanges.namesLimit + 1
        _ = try await self.phone["notes"].upsert((0..<count).map { RecordInput(pk: "\($0)", content: ["n": 1]) })
        try await self.phone["tags"].create(["n": 1], pk: "home")
        let unsent = try await self.phone.unsent
        #expect(unsent.count == count + 1)
        #expect(unsent.names.count == SyncClient.UnsentChanges.namesLimit)
    }

    @Test func `sign-out with unsent changes is refused with their count, and deletes nothing`() async throws {
        try await self.make()
        let error = await #expect(throws: TidemarkError.self) { try await self.phone.erase() }
        #expect(error?.code == .unsentChanges)
        #expect(error?.message.hasPrefix("3 changes were not sent yet (notes: 2, tags: 1), and nothing was") == true)
        #expect(try await self.phone["notes"]["42"].get() == ["n": 1])
    }

    @Test(arguments: [false, true])
    func `sign-out removes everything and closes the client`(isUnsent: Bool) async throws {
        try await self.make()
        if !isUnsent { _ = try await self.phone.sync() }
        try await self.phone.erase(evenUnsent: isUnsent)
        #expect(await self.phone.isClosed)
    }
}

import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting
import Testing

/// A client without a server (Contract §13).
@Suite(.timeLimit(.minutes(10))) struct `A client with remote none` {
    private let disk = MemoryDisk()
    private let clock = ManualClock()

    private func owner(_ capabilities: RemoteCapabilities = .native) throws -> SyncClient {
        try SyncClient(
            store: self.disk.open(), remote: Silent(capabilities: capabilities), configuration: SyncConfiguration(),
            time: self.clock, seed: 1)
    }

    private func widget() throws(TidemarkError) -> SyncClient {
        try SyncClient(
            store: self.disk.open(), remote: .none, configuration: SyncConfiguration(), time: self.clock, seed: 2)
    }

    /// A server that never answers.
    private struct Silent: Remote {
        var capabilities: RemoteCapabilities

        func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
            throw RemoteFailure(.offline, "silent")
        }
    }

    @Test func `a widget edits, saves a draft, changes several records, and undoes`() async throws {
        let owner = try self.owner()
        try await owner["notes"].create(["title": "Milk", "done": false], pk: "42")
        await owner.close()
        let widget = try self.widget()
        let note = widget["notes"]["42"]
        let edit = try await note.edit { $0.done = true }
        try await note.undo(edit)
        #expect(try await note.get() == ["title": "Milk", "done": false])
        var draft = try await note.draft()
        draft.value.title = "Oat milk"
        try await draft.save()
        try await widget.transaction { t in try t["notes"].create(["title": "Bread"], pk: "43") }
        #expect(try await widget.unsent.count == 2)
        await widget.close()
        let next = try self.owner()
        #expect(try await next["notes"]["42"].get()?.title == "Oat milk")
        await next.close()
    }

    enum Call: CaseIterable {
        case sync, syncOne, syncWaiting, syncWithin, run, renew
    }

    @Test(arguments: Call.allCases)
    func `its syncs throw noRemote (R30)`(call: Call) async throws {
        let widget = try self.widget()
        try await widget["notes"].create(["n": 1], pk: "42")
        let error = await #expect(throws: TidemarkError.self) {
            switch call {
            case .sync: _ = try await widget.sync()
            case .syncOne: _ = try await widget.sync(["notes"])
            case .syncWaiting: _ = try await widget.syncWaiting()
            case .syncWithin: _ = try await widget.sync(within: .seconds(1))
            case .run: try await widget.run(RunPlan(), connectivity: AsyncStream<Bool> { $0.finish() })
            case .renew: try await widget.renew(remote: Silent(capabilities: .native))
            }
        }
        #expect(error?.code == .noRemote)
        await widget.close()
    }

    @Test func `a client with a server stays one (R30)`() async throws {
        let owner = try self.owner()
        try await owner["notes"].create(["n": 1], pk: "42")
        let error = await #expect(throws: TidemarkError.self) { try await owner.renew(remote: .none) }
        #expect(error?.code == .noRemote)
        #expect(try await owner.sync().collections.map(\.outcome) == [.unreachable])
        await owner.close()
    }

    @Test func `its guarantees are those of the owner's server (R30)`() async throws {
        var capabilities = RemoteCapabilities.native
        capabilities.condition = .checkedFirst(watch: .seconds(30))
        await (try self.owner(capabilities)).close()
        let widget = try self.widget()
        #expect(widget.guarantees == capabilities.guarantees)
        #expect(widget.guarantees != RemoteCapabilities.native.guarantees)
        await widget.close()
    }
}

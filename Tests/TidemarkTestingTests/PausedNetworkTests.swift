import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

@Suite(.timeLimit(.minutes(10))) struct `A network under the test's control` {
    private let network: PausedNetwork
    private let remote: InProcessRemote

    init() throws {
        self.remote = InProcessRemote(try InProcessServer())
        self.network = PausedNetwork(self.remote)
    }

    private static let create = ExchangeRequest(
        collection: "notes",
        uploads: [
            UploadRequest(
                requestID: "r1", pk: "a", intent: .create, version: nil, patch: JSONPatch([.add(.root, [:])]),
                base: nil,
                wasResent: false,
                encodedEdit: Array(
                    #"""
                    {"request_id":"r1","pk":"a","sync_state":"CREATED","edited_data":[{"op":"add","path":"","value":{}}]}
                    """#.utf8))
        ], cursor: nil, limit: 10)

    /// Sends the create; the test decides its outcome.
    private func send() -> Task<Result<ExchangeAnswer, RemoteFailure>, Never> {
        let network = self.network
        return Task {
            do throws(RemoteFailure) {
                return .success(try await network.exchange(Self.create))
            } catch {
                return .failure(error)
            }
        }
    }

    /// The number of records on the server.
    private func count() throws -> Int {
        try self.remote.exchangeNow(ExchangeRequest(collection: "notes", cursor: nil, limit: 10)).page.rows.count
    }

    @Test func `a request reaches the server only when the test delivers it`() async throws {
        let client = self.send()
        let request = try await self.network.next()
        #expect(request.request == Self.create)
        #expect(try self.count() == 0)
        await request.deliver()
        #expect(try await client.value.get().results.count == 1)
        #expect(try self.count() == 1)
        #expect(self.network.openCount == 0)
    }

    @Test func `a dropped request never arrives`() async throws {
        let client = self.send()
        try await self.network.next().drop()
        #expect(await client.value.failure?.failureClass == .offline)
        #expect(try self.count() == 0)
    }

    @Test func `a dropped answer leaves the record on the server (lost-ack-create)`() async throws {
        let client = self.send()
        try await self.network.next().dropAnswer()
        guard case .failure(let failure) = await client.value else {
            Issue.record("the client has an answer")
            return
        }
        #expect(failure.failureClass == .offline)
        #expect(try self.count() == 1)
    }

    @Test func `a duplicated request is answered once`() async throws {
        let client = self.send()
        try await self.network.next().duplicate()
        #expect(try await client.value.get().results.count == 1)
        #expect(try self.count() == 1)
    }

    @Test func `an answer can be kept, and a late duplicate sent after it`() async throws {
        let client = self.send()
        let request = try await self.network.next()
        let answer = await request.reachServer()
        #expect(self.network.openCount == 1)
        #expect(request.answer(with: answer))
        #expect(try await client.value.get().results.count == 1)
        _ = await request.reachServer()
        #expect(!request.answer(with: answer))
        #expect(try self.count() == 1)
    }

    @Test func `the test can give a failure of any class`() async throws {
        let client = self.send()
        let busy = RemoteFailure(.busy, "Not now.", retryAfter: .delay(.seconds(3)))
        try await self.network.next().fail(busy)
        #expect(await client.value.failure == busy)
    }

    @Test(arguments: [true, false])
    func `a cancelled client fails at once, and its request stays in the network`(isHeld: Bool) async throws {
        let client = self.send()
        let held = isHeld ? try await self.network.next() : nil
        client.cancel()
        #expect(await client.value.failure?.failureClass == .cancelled)
        let request = if let held { held } else { try await self.network.next() }
        _ = await request.reachServer()
        #expect(try self.count() == 1)
    }

    @Test func `every request is returned once, whether it or the call comes first`() async throws {
        let network = self.network
        async let first = network.next()
        async let second = network.next()
        let clients = [self.send(), self.send()]
        for request in [try await first, try await second] {
            request.drop()
        }
        for client in clients {
            #expect(await client.value.failure != nil)
        }
        #expect(network.waitingCount == 0)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}

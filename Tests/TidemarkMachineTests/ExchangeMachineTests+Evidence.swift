import Testing
import TidemarkMachine

// The evidence of failures about the edits of a POST (Contract §3.6), and the edits that a POST contains.

extension ExchangeMachineTests {
    /// A machine after a failed POST of each batch, with a new request for each.
    private func failing(_ failure: FailureClass, _ blame: FailureBlame = .unknown, posts: [[Int]]) -> Machine {
        var machine = Machine()
        for names in posts {
            machine = self.posting(names, machine)
            _ = machine.handle(self.failure(failure, blame), Self.limits)
            machine = self.getting(machine)
            _ = machine.handle(self.page(to: 1), Self.limits)
            _ = machine.handle(.next(self.outlook(sending: names, isAtEnd: true)), Self.limits)
            _ = machine.handle(self.failure(.cancelled), Self.limits)
        }
        return machine
    }

    // MARK: Evidence

    @Test func `a batch is halved after a second failure and grows after a success (Contract §3.6)`() {
        #expect(self.failing(.busy, posts: [[1, 2, 3, 4]]).batchSize(Self.limits) == 100)
        var machine = self.failing(.busy, posts: [[1, 2, 3, 4], [1, 2, 3, 4]])
        #expect(machine.batchSize(Self.limits) == 2)
        machine = self.posting([1, 2], machine.memory.readsFirst ? self.read(machine) : machine)
        for request in ["r1", "r2"] { machine.request.settle(request) }
        _ = machine.handle(self.page(to: 2), Self.limits)
        #expect(machine.batchSize(Self.limits) == 4)
    }

    private func read(_ machine: Machine) -> Machine {
        var machine = self.getting(machine)
        _ = machine.handle(self.page(to: 1), Self.limits)
        _ = machine.handle(.next(.init(hasEdits: false, isAtEnd: true)), Self.limits)
        return machine
    }

    @Test func `a record that failed alone is a suspect until another exchange works (Contract §3.6)`() {
        var machine = self.posting([1])
        _ = machine.handle(self.failure(.busy), Self.limits)
        #expect(machine.memory.poison.suspect == 1)
        machine = self.getting(machine)
        let suspect = machine.handle(self.page(to: 1, hasMore: true), Self.limits).suspect
        #expect(suspect?.name == 1 && suspect?.failure == .busy)
        #expect(machine.handle(self.page(to: 2), Self.limits).suspect == nil, "it counts once")
    }

    @Test func `a record that failed alone is counted after results of another POST (Contract §3.6)`() {
        var machine = self.read(self.failing(.busy, posts: [[1]]))
        _ = machine.handle(.requested(self.outlook(sending: [1])), Self.limits)
        _ = machine.handle(self.failure(.busy), Self.limits)
        machine = self.getting(machine)
        _ = machine.handle(self.failure(.invalidAnswer), Self.limits)
        machine = self.posting([2, 3], machine)
        machine.request.settle("r2")
        let suspect = machine.handle(.answered(nil), Self.limits).suspect
        #expect(suspect?.name == 1 && suspect?.failure == .busy)
        #expect(machine.memory.postFailure == nil)
    }

    @Test func `if several records fail alone and no POST succeeds, the server counts as the cause (Contract §3.6)`() {
        let machine = self.failing(.busy, posts: [[1], [2]])
        #expect(machine.memory.poison.isServerToBlame)
        var next = self.posting([1], self.read(machine))
        _ = next.handle(self.failure(.busy), Self.limits)
        #expect(next.memory.poison.suspect == nil)
    }

    @Test(arguments: [FailureClass.auth, .portal, .identityChanged, .historyLost, .cancelled])
    func `a failure that is not about the request makes no suspect (Contract §3.6)`(failure: FailureClass) {
        var machine = self.posting([1])
        _ = machine.handle(self.failure(failure), Self.limits)
        #expect(machine.memory.poison.suspect == nil)
        #expect(machine.memory.failedPosts == 0)
    }

    @Test func `a refusal of one edit counts against the edit, unless all are refused (Contract §3.6)`() {
        let refusal = Machine.Failed(.refused, .sender)
        var machine = self.posting([1])
        #expect(machine.diagnose(refusal, Self.limits).diagnosis == .refusalOfOne)
        let step = machine.handle(.failed(refusal, .init(.refused, .retry)), Self.limits)
        #expect(step.work == [.refuse(.init(requestID: "r1", name: 1), .refused), .get])
        _ = machine.handle(self.page(to: 1), Self.limits)
        _ = machine.handle(.next(self.outlook(sending: [2], isAtEnd: true)), Self.limits)
        #expect(machine.diagnose(refusal, Self.limits).diagnosis == .refusalOfEveryone)
        #expect(machine.memory.poison.last == 1, "a diagnosis counts nothing")
    }

    // MARK: The content of a POST

    @Test func `unconfirmed uploads go out first, in a batch without other edits (R17)`() {
        let machine = self.getting()
        func batch(_ names: [Int], isWaiting: Bool = false) -> Machine.Batch {
            machine.batch(unconfirmed: names, isWaiting: isWaiting, Self.limits)
        }
        #expect(batch([]) == .idle(limit: 100))
        #expect(batch([], isWaiting: true) == .idle(limit: 1))
        #expect(batch([1, 2, 3]) == .unconfirmed(0..<3))
        #expect(batch(Array(1...200)) == .unconfirmed(0..<100))
    }

    @Test func `without a success each try sends the next record alone (Contract §3.6)`() {
        let machine = self.failing(.busy, posts: [[1], [2]])
        func batch(_ names: [Int]) -> Machine.Batch {
            machine.batch(unconfirmed: names, isWaiting: false, Self.limits)
        }
        #expect(machine.memory.poison.last == 2)
        #expect(batch([2, 3, 1]) == .unconfirmed(1..<2))
        #expect(batch([1, 3]) == .unconfirmed(0..<1), "the last one is gone")
        #expect(batch([1, 2]) == .idleOrFirst)
    }

    @Test func `a wait is at least the back-off and at most the limit (I8)`() {
        var machine = self.getting()
        let step = machine.handle(self.failure(.busy), Self.limits)
        func backOff(asked: Duration?) -> Duration? {
            step.backOff?.wait(own: .seconds(2), asked: asked, longest: .seconds(60))
        }
        #expect(backOff(asked: nil) == .seconds(2))
        #expect(backOff(asked: .seconds(1)) == .seconds(2))
        #expect(backOff(asked: .seconds(30)) == .seconds(30))
        #expect(backOff(asked: .seconds(90)) == .seconds(60))
        machine = self.getting()
        let policy = Machine.Verdict(.busy, .retry, wait: .seconds(-1))
        let own = machine.handle(.failed(.init(.busy), policy), Self.limits)
        #expect(own.backOff?.wait(own: .seconds(2), asked: nil, longest: .seconds(60)) == .zero)
    }
}

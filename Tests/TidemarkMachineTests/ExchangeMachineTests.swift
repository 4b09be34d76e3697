import Testing
import TidemarkMachine

/// The machine of the exchange by itself: records and watermarks are numbers, and what fails is a class.
@Suite struct ExchangeMachineTests {
    private typealias Machine = ExchangeMachine<Int, FailureClass>

    private static let limits = ExchangeLimits(
        batchSize: 100, pageSize: 500, emptyPages: 3, knownRows: 2, silentTries: 5, listings: 3, rounds: 5,
        loneFailures: 3)

    /// A machine with edits of these records on their way.
    private func posting(_ names: [Int], _ machine: Machine = Machine()) -> Machine {
        var machine = machine
        let step = machine.receive(.requested(self.outlook(sending: names)), Self.limits)
        #expect(step.actions.contains(.post))
        return machine
    }

    private func getting(_ machine: Machine = Machine()) -> Machine {
        var machine = machine
        let step = machine.receive(.requested(.init(hasEdits: false)), Self.limits)
        #expect(step.actions.contains(.get))
        return machine
    }

    private func outlook(sending names: [Int], isAtEnd: Bool = false) -> Machine.Outlook {
        .init(hasEdits: true, chosen: names.map { .init(requestID: "r\($0)", name: $0) }, isAtEnd: isAtEnd)
    }

    private func page(
        from former: Int? = nil, to watermark: Int, hasMore: Bool = false, startsOver: Bool = false,
        isListing: Bool = false, hasRows: Bool = true, isNews: Bool = true, knownRows: Int = 0, records: Int? = nil,
        isWhole: Bool = true
    ) -> Machine.Input {
        .answered(
            Machine.Page(
                former: former, watermark: watermark, hasMore: hasMore, startsOver: startsOver,
                isListing: isListing, hasRows: hasRows, isNews: isNews, knownRows: knownRows, records: records,
                isWhole: isWhole))
    }

    /// A failure, and a policy that does what is done by default, or this.
    private func failure(
        _ failure: FailureClass, _ blame: FailureBlame = .unknown, _ course: FailureCourse = .retry
    ) -> Machine.Input {
        .failed(.init(failure, blame, verdict: .init(failure, failure, course)))
    }

    /// Fails as often as it is told to, and is asked again each time.
    private func failing(_ failure: FailureClass, _ blame: FailureBlame = .unknown, posts: [[Int]]) -> Machine {
        var machine = Machine()
        for names in posts {
            machine = self.posting(names, machine)
            _ = machine.receive(self.failure(failure, blame), Self.limits)
            machine = self.getting(machine)
            _ = machine.receive(self.page(to: 1), Self.limits)
            _ = machine.receive(.next(self.outlook(sending: names, isAtEnd: true)), Self.limits)
            _ = machine.receive(self.failure(.cancelled), Self.limits)
        }
        return machine
    }

    @Test func `W8 the newest token alone is refused by a server that was rolled back, and by no other`() {
        func reading(_ hasCursor: Bool, _ hasSeen: Bool) -> Machine.Reading {
            self.getting().reading(
                of: .init(.historyLost, hasCursor: hasCursor, hasSeen: hasSeen), Self.limits)
        }
        #expect(reading(false, true) == .rollback)
        #expect(reading(true, true) == .itself && reading(true, false) == .itself)
        #expect(reading(false, false) == .noHistory)
    }

    // MARK: The watermark

    @Test func `I6 a watermark passes what was taken in whole, and nothing else`() {
        for isWhole in [true, false] {
            var machine = self.posting([1])
            machine.request.settle("r1")
            let step = machine.receive(self.page(to: 2, isWhole: isWhole), Self.limits)
            #expect(step.actions.contains(.pass) == isWhole)
            let next = machine.receive(.next(.init(hasEdits: false, isAtEnd: isWhole)), Self.limits)
            #expect(next.target == (isWhole ? .idle : .getting))
        }
    }

    @Test func `I1 a lost history that is paused for is read anew before anything is sent, by another process too`() {
        for course in [FailureCourse.pause, .retry] {
            var machine = self.getting()
            _ = machine.receive(self.failure(.historyLost, .unknown, course), Self.limits)
            #expect(machine.memory.readsFirst == (course == .pause))
        }
    }

    @Test func `SPEC 6 only the last page of a listing ends it`() {
        for hasMore in [true, false] {
            var machine = self.getting()
            let step = machine.receive(self.page(to: 2, hasMore: hasMore, isListing: true), Self.limits)
            #expect(step.actions.contains(.endListing) == !hasMore)
        }
    }

    @Test func `I8 a feed that stands still, goes round, or brings nothing is not followed`() {
        func standstill(_ machine: inout Machine, _ input: Machine.Input) -> Machine.Standstill? {
            machine.receive(input, Self.limits).standstill
        }
        var machine = self.getting()
        #expect(standstill(&machine, self.page(from: 7, to: 7, hasMore: true)) == .sameWatermark)

        machine = self.getting()
        for watermark in 1...3 {
            #expect(standstill(&machine, self.page(from: watermark - 1, to: watermark, hasMore: true)) == nil)
        }
        #expect(standstill(&machine, self.page(from: 3, to: 1, hasMore: true)) == .circle)

        machine = self.getting()
        for watermark in 1...3 {
            let page = self.page(from: watermark - 1, to: watermark, hasMore: true, hasRows: false, isNews: false)
            #expect(standstill(&machine, page) == (watermark < 3 ? nil : .emptyPages(3)))
        }

        machine = self.getting()
        for watermark in 1...4 {
            let page = self.page(from: watermark - 1, to: watermark, hasMore: true, startsOver: true)
            #expect(standstill(&machine, page) == (watermark < 4 ? nil : .beginnings))
        }
    }

    /// What a machine says of pages with one known row each, until it follows the feed no more.
    private func known(_ pages: ClosedRange<Int>, of machine: inout Machine, records: Int) -> Machine.Standstill? {
        for watermark in pages {
            let isCounted = machine.needsRecordCount(knownRows: 1, Self.limits)
            let page = self.page(
                from: watermark - 1, to: watermark, hasMore: true, isNews: false, knownRows: 1,
                records: isCounted ? records : nil)
            if let standstill = machine.receive(page, Self.limits).standstill { return standstill }
        }
        return nil
    }

    @Test func `known rows are followed up to the records here and a limit (I8)`() {
        var machine = self.getting()
        #expect(self.known(1...5, of: &machine, records: 3) == nil)
        #expect(self.known(6...6, of: &machine, records: 3) == .knownRows(6, records: 3))
    }

    @Test func `records are not counted before known rows are more than the limit (SPEC 9)`() {
        var machine = self.getting()
        for watermark in 1...2 {
            #expect(!machine.needsRecordCount(knownRows: 1, Self.limits))
            #expect(self.known(watermark...watermark, of: &machine, records: 3) == nil)
        }
        #expect(machine.needsRecordCount(knownRows: 1, Self.limits))
        #expect(self.known(3...3, of: &machine, records: 3) == nil)
        #expect(!machine.needsRecordCount(knownRows: 2, Self.limits), "the last count allows as many")
    }

    @Test func `the end of the feed begins the count of known rows anew (I8)`() {
        var machine = self.getting()
        #expect(self.known(1...5, of: &machine, records: 3) == nil)
        _ = machine.receive(self.page(from: 5, to: 6, isNews: false), Self.limits)
        #expect(self.known(7...11, of: &machine, records: 3) == nil)
    }

    // MARK: Evidence

    @Test func `SPEC 3.6 a batch that fails a second time is halved, and a POST that works lets it grow again`() {
        #expect(self.failing(.busy, posts: [[1, 2, 3, 4]]).batchSize(Self.limits) == 100)
        var machine = self.failing(.busy, posts: [[1, 2, 3, 4], [1, 2, 3, 4]])
        #expect(machine.batchSize(Self.limits) == 2)
        machine = self.posting([1, 2], machine.memory.readsFirst ? self.read(machine) : machine)
        for request in ["r1", "r2"] { machine.request.settle(request) }
        _ = machine.receive(self.page(from: 1, to: 2), Self.limits)
        #expect(machine.batchSize(Self.limits) == 4)
    }

    private func read(_ machine: Machine) -> Machine {
        var machine = self.getting(machine)
        _ = machine.receive(self.page(to: 1), Self.limits)
        _ = machine.receive(.next(.init(hasEdits: false, isAtEnd: true)), Self.limits)
        return machine
    }

    @Test func `SPEC 3.6 what failed alone is a suspect until another exchange works`() {
        var machine = self.posting([1])
        _ = machine.receive(self.failure(.busy), Self.limits)
        #expect(machine.memory.loners.suspect == 1)
        machine = self.getting(machine)
        let suspect = machine.receive(self.page(to: 1, hasMore: true), Self.limits).suspect
        #expect(suspect?.name == 1 && suspect?.failure == .busy)
        #expect(machine.receive(self.page(from: 1, to: 2), Self.limits).suspect == nil, "it counts once")
    }

    @Test func `SPEC 3.6 what failed alone is counted by the results of another POST, with what it failed with`() {
        var machine = self.read(self.failing(.busy, posts: [[1]]))
        _ = machine.receive(.requested(self.outlook(sending: [1])), Self.limits)
        _ = machine.receive(self.failure(.busy), Self.limits)
        machine = self.getting(machine)
        _ = machine.receive(self.failure(.protocol), Self.limits)
        machine = self.posting([2, 3], machine)
        machine.request.settle("r2")
        let suspect = machine.receive(.answered(nil), Self.limits).suspect
        #expect(suspect?.name == 1 && suspect?.failure == .busy)
        #expect(machine.memory.postFailure == nil)
    }

    @Test func `SPEC 3.6 where several fail alone and nothing goes through, it is the server`() {
        let machine = self.failing(.busy, posts: [[1], [2]])
        #expect(machine.memory.loners.isServerToBlame)
        var next = self.posting([1], self.read(machine))
        _ = next.receive(self.failure(.busy), Self.limits)
        #expect(next.memory.loners.suspect == nil)
    }

    @Test(arguments: [FailureClass.auth, .portal, .identityChanged, .historyLost, .cancelled])
    func `SPEC 3.6 what says nothing about what was sent is no evidence`(failure: FailureClass) {
        var machine = self.posting([1])
        _ = machine.receive(self.failure(failure), Self.limits)
        #expect(machine.memory.loners.suspect == nil)
        #expect(machine.memory.failedPosts == 0)
    }

    @Test func `SPEC 3.6 a refusal of one edit is the edit's, unless everyone is refused`() {
        let refusal = Machine.Failed(.refused, .sender)
        var machine = self.posting([1])
        #expect(machine.reading(of: refusal, Self.limits) == .refusalOfOne)
        #expect(machine.receive(.failed(refusal), Self.limits).actions == [.refuse, .get])
        _ = machine.receive(self.page(to: 1), Self.limits)
        _ = machine.receive(.next(self.outlook(sending: [2], isAtEnd: true)), Self.limits)
        #expect(machine.reading(of: refusal, Self.limits) == .refusalOfEveryone)
        #expect(machine.memory.loners.last == 1, "a reading counts nothing")
    }

    // MARK: What a POST carries

    @Test func `R17 what is unconfirmed goes first and alone, and one by one beside what waits`() {
        let machine = self.getting()
        func batch(_ names: [Int], isWaiting: Bool = false) -> Machine.Batch {
            machine.batch(unconfirmed: names, isWaiting: isWaiting, Self.limits)
        }
        #expect(batch([]) == .idle(limit: 100))
        #expect(batch([], isWaiting: true) == .idle(limit: 1))
        #expect(batch([1, 2, 3]) == .unconfirmed(0..<3))
        #expect(batch(Array(1...200)) == .unconfirmed(0..<100))
    }

    @Test func `SPEC 3.6 where nothing goes through, each try sends the next one, and then one that was never sent`() {
        let machine = self.failing(.busy, posts: [[1], [2]])
        func batch(_ names: [Int]) -> Machine.Batch {
            machine.batch(unconfirmed: names, isWaiting: false, Self.limits)
        }
        #expect(machine.memory.loners.last == 2)
        #expect(batch([2, 3, 1]) == .unconfirmed(1..<2))
        #expect(batch([1, 3]) == .unconfirmed(0..<1), "the last one is gone")
        #expect(batch([1, 2]) == .idleOrFirst)
    }

    @Test func `I8 the wait is no shorter than the back-off, and no longer than a limit, whatever a server asks for`() {
        var machine = self.getting()
        let step = machine.receive(self.failure(.busy), Self.limits)
        func patience(asked: Duration?) -> Duration {
            step.patience(own: .seconds(2), asked: asked, longest: .seconds(60))
        }
        #expect(patience(asked: nil) == .seconds(2))
        #expect(patience(asked: .seconds(1)) == .seconds(2))
        #expect(patience(asked: .seconds(30)) == .seconds(30))
        #expect(patience(asked: .seconds(90)) == .seconds(60))
        machine = self.getting()
        let policy = Machine.Verdict(.busy, .busy, .retry, wait: .seconds(-1))
        let own = machine.receive(.failed(.init(.busy, verdict: policy)), Self.limits)
        #expect(own.patience(own: .seconds(2), asked: nil, longest: .seconds(60)) == .zero)
    }

    // MARK: Who asks

    @Test func `SPEC 3.5 who asks while it pauses gets one try if the credentials may be good by now`() {
        for (failure, event) in [(FailureClass.auth, ExchangeEvent.dueToTryAccess), (.identityChanged, .dueToGet)] {
            var machine = self.getting()
            _ = machine.receive(self.failure(failure, .unknown, .pause), Self.limits)
            #expect(machine.failure == failure)
            let step = machine.receive(.requested(self.outlook(sending: [1])), Self.limits)
            #expect(step.event == event)
            #expect(step.failure == failure, "whoever asks is told why it pauses")
        }
    }

    @Test func `who asks while a sync goes on joins it, and nothing that can't be chosen is sent`() {
        var machine = self.posting([1])
        #expect(machine.receive(.requested(.init(hasEdits: false)), Self.limits).event == .joined)
        #expect(machine.request.posted.map(\.name) == [1])
        machine = Machine()
        let input = Machine.Input.requested(.init(hasEdits: true))
        #expect(machine.mayPost(input))
        #expect(machine.receive(input, Self.limits).actions == .get)
    }

    // MARK: What is lost, and what is not

    @Test func `R17 a step that loses names what no result has settled, in the order in which it was posted`() {
        var machine = self.posting([3, 1, 2])
        machine.request.settle("r1")
        let step = machine.receive(self.failure(.offline), Self.limits)
        #expect(step.actions.contains(.lose))
        #expect(step.posted.map(\.name) == [3, 2])
        #expect(machine.request.posted.isEmpty)
        #expect(machine.memory.readsFirst)
    }

    @Test func `a POST that was answered has not failed, whatever its page was`() {
        var machine = self.posting([1])
        machine.request.settle("r1")
        _ = machine.receive(self.failure(.protocol), Self.limits)
        #expect(!machine.memory.readsFirst)
        #expect(machine.memory.postFailure == nil)
        #expect(machine.memory.failedPosts == 0)
    }

    @Test func `a store that fails leaves the exchange waiting, with nothing out`() {
        var machine = self.posting([1])
        #expect(machine.isAwaiting(1))
        #expect(machine.receive(.storeFailed, Self.limits).target == .waiting)
        #expect(machine.request.posted.isEmpty)
        #expect(!machine.isAwaiting(1))
    }

    @Test func `SPEC 3.3 what is postponed waits as long as it was refused often, and not for ever`() {
        var machine = self.getting()
        machine.postponed.noteRefusal(of: 1, attempt: 4)
        let step = machine.receive(.next(.init(hasEdits: false, isAtEnd: true, waiting: .refused)), Self.limits)
        #expect(step.actions == [.backOff, .finish])
        #expect(step.failure == .refused)
        #expect(machine.memory.attempts == 4)
        machine = self.getting(machine)
        #expect(machine.postponed.tries.isEmpty, "each sync begins anew")
    }

    @Test func `W8 nothing of the queue goes out before an answer to the new credentials`() {
        var machine = self.getting()
        _ = machine.receive(.renewed(hasAccount: true), Self.limits)
        _ = machine.receive(self.page(to: 1), Self.limits)
        #expect(machine.memory.isAccountInDoubt, "that request went out before")
        let next = self.outlook(sending: [1], isAtEnd: true)
        #expect(machine.receive(.next(next), Self.limits).event == .dueToGet)
        _ = machine.receive(self.page(from: 1, to: 2), Self.limits)
        #expect(!machine.memory.isAccountInDoubt)
        #expect(machine.receive(.next(next), Self.limits).event == .dueToPost)
    }
}

import Testing
import TidemarkMachine

/// The machine of the exchange by itself: records and watermarks are numbers, and what fails is a class.
@Suite struct ExchangeMachineTests {
    private typealias Machine = ExchangeMachine<Int, FailureClass>

    private static let limits = ExchangeLimits(
        batchSize: 100, pageSize: 500, emptyPages: 3, knownRows: 2, silentTries: 5, listings: 3, rounds: 5)

    /// A machine with edits of these records on their way.
    private func posting(_ names: [Int], _ machine: Machine = Machine()) -> Machine {
        var machine = machine
        machine.begin()
        _ = machine.ask(hasEdits: true, mayTryAccess: false)
        machine.send(names.map { .init(requestID: "r\($0)", name: $0) }, as: 1)
        return machine
    }

    private func getting(_ machine: Machine = Machine()) -> Machine {
        var machine = machine
        machine.begin()
        _ = machine.ask(hasEdits: false, mayTryAccess: false)
        machine.send([], as: 1)
        return machine
    }

    private func page(
        from former: Int? = nil, to watermark: Int, hasMore: Bool = false, isListing: Bool = false,
        hasRows: Bool = true, isNews: Bool = true, knownRows: Int = 0, records: Int? = nil, isWhole: Bool = true
    ) -> Machine.Page {
        Machine.Page(
            former: former, watermark: watermark, hasMore: hasMore, isListing: isListing, hasRows: hasRows,
            isNews: isNews, knownRows: knownRows, records: records, isWhole: isWhole)
    }

    /// Fails as often as it is told to, and is asked again each time.
    private func failing(_ failure: FailureClass, _ blame: FailureBlame = .unknown, posts: [[Int]]) -> Machine {
        var machine = Machine()
        for names in posts {
            machine = self.posting(names, machine)
            _ = machine.takeEvidence(of: failure, blame, Self.limits)
            _ = machine.fail(failure, failure, .retry, wait: nil)
            machine = self.getting(machine)
            _ = machine.hear(self.page(to: 1), Self.limits)
            _ = machine.goOn(hasEdits: true, isAtEnd: true, waiting: nil)
            machine.send(names.map { .init(requestID: "r\($0)", name: $0) }, as: 2)
            _ = machine.fail(.cancelled, .cancelled, .retry, wait: nil)
        }
        return machine
    }

    @Test func `W8 the newest token alone is refused by a server that was rolled back, and by no other`() {
        func reading(_ hasWatermark: Bool, _ hasSeen: Bool) -> Machine.Reading {
            self.getting().reading(
                of: .historyLost, .unknown, hasWatermark: hasWatermark, hasSeen: hasSeen, Self.limits)
        }
        #expect(reading(false, true) == .rollback)
        #expect(reading(true, true) == .itself && reading(true, false) == .itself)
        #expect(reading(false, false) == .noHistory)
    }

    // MARK: The watermark

    @Test func `I6 a watermark passes what was taken in whole, and nothing else`() {
        for isWhole in [true, false] {
            var machine = self.posting([1])
            machine.settle("r1")
            let step = machine.hear(self.page(to: 2, isWhole: isWhole), Self.limits).step
            #expect(step.actions.contains(.pass) == isWhole)
            #expect(
                machine.goOn(hasEdits: false, isAtEnd: isWhole, waiting: nil).target == (isWhole ? .idle : .getting))
        }
    }

    @Test func `I1 a lost history that is paused for is read anew before anything is sent, by another process too`() {
        for course in [FailureCourse.pause, .retry] {
            var machine = self.getting()
            _ = machine.fail(.historyLost, .historyLost, course, wait: nil)
            #expect(machine.memory.readsFirst == (course == .pause))
        }
    }

    @Test func `SPEC 6 only the last page of a listing ends it`() {
        for hasMore in [true, false] {
            var machine = self.getting()
            let step = machine.hear(self.page(to: 2, hasMore: hasMore, isListing: true), Self.limits).step
            #expect(step.actions.contains(.endListing) == !hasMore)
        }
    }

    @Test func `I8 a feed that stands still, goes round, or brings nothing is not followed`() {
        var machine = self.getting()
        #expect(machine.hear(self.page(from: 7, to: 7, hasMore: true), Self.limits).standstill == .sameWatermark)

        machine = self.getting()
        for watermark in 1...3 {
            #expect(
                machine.hear(self.page(from: watermark - 1, to: watermark, hasMore: true), Self.limits).standstill
                    == nil)
        }
        #expect(machine.hear(self.page(from: 3, to: 1, hasMore: true), Self.limits).standstill == .circle)

        machine = self.getting()
        for watermark in 1...3 {
            let page = self.page(from: watermark - 1, to: watermark, hasMore: true, hasRows: false, isNews: false)
            #expect(machine.hear(page, Self.limits).standstill == (watermark < 3 ? nil : .emptyPages(3)))
        }
    }

    /// What a machine says of pages with one known row each, until it follows the feed no more.
    private func known(_ pages: ClosedRange<Int>, of machine: inout Machine, records: Int) -> Machine.Standstill? {
        for watermark in pages {
            let isCounted = machine.needsRecordCount(knownRows: 1, Self.limits)
            let page = self.page(
                from: watermark - 1, to: watermark, hasMore: true, isNews: false, knownRows: 1,
                records: isCounted ? records : nil)
            if let standstill = machine.hear(page, Self.limits).standstill { return standstill }
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
        _ = machine.hear(self.page(from: 5, to: 6, isNews: false), Self.limits)
        #expect(self.known(7...11, of: &machine, records: 3) == nil)
    }

    // MARK: Evidence

    @Test func `SPEC 3.6 a batch that fails a second time is halved, and a POST that works lets it grow again`() {
        var machine = self.failing(.busy, posts: [[1, 2, 3, 4], [1, 2, 3, 4]])
        #expect(machine.batchSize(Self.limits) == 2)
        machine = self.posting([1, 2], machine.memory.readsFirst ? self.read(machine) : machine)
        machine.settle("r1")
        machine.settle("r2")
        _ = machine.hear(self.page(from: 1, to: 2), Self.limits)
        #expect(machine.batchSize(Self.limits) == 4)
    }

    private func read(_ machine: Machine) -> Machine {
        var machine = self.getting(machine)
        _ = machine.hear(self.page(to: 1), Self.limits)
        _ = machine.goOn(hasEdits: false, isAtEnd: true, waiting: nil)
        return machine
    }

    @Test func `SPEC 3.6 what failed alone is a suspect until another exchange works`() {
        var machine = self.posting([1])
        let step = machine.takeEvidence(of: .busy, .unknown, Self.limits)
        #expect(step?.actions == .suspect)
        _ = machine.fail(.busy, .busy, .retry, wait: nil)
        machine = self.getting(machine)
        let charge = machine.noteThatItWorks()
        #expect(charge?.actions == .charge)
        #expect(charge?.suspect == 1)
        #expect(machine.noteThatItWorks() == nil, "it counts once")
    }

    @Test func `SPEC 3.6 where several fail alone and nothing goes through, it is the server`() {
        let machine = self.failing(.busy, posts: [[1], [2]])
        #expect(machine.memory.loners.isServerToBlame)
        var next = self.posting([1], self.read(machine))
        #expect(next.takeEvidence(of: .busy, .unknown, Self.limits) == nil)
    }

    @Test(arguments: [FailureClass.auth, .portal, .identityChanged, .historyLost, .cancelled])
    func `SPEC 3.6 what says nothing about what was sent is no evidence`(failure: FailureClass) {
        var machine = self.posting([1])
        #expect(machine.takeEvidence(of: failure, .unknown, Self.limits) == nil)
        #expect(machine.memory.loners.suspect == nil)
        #expect(machine.memory.failedPosts == 0)
    }

    @Test func `SPEC 3.6 a refusal of one edit is the edit's, unless everyone is refused`() {
        var machine = self.posting([1])
        _ = machine.takeEvidence(of: .refused, .sender, Self.limits)
        #expect(machine.reading(of: .refused, .sender, hasWatermark: true, Self.limits) == .refusalOfOne)
        #expect(machine.refuseAlone().actions == [.refuse, .get])
        machine = self.posting([2], self.read(machine))
        _ = machine.takeEvidence(of: .refused, .sender, Self.limits)
        #expect(machine.reading(of: .refused, .sender, hasWatermark: true, Self.limits) == .refusalOfEveryone)
    }

    // MARK: What is lost, and what is not

    @Test func `R17 a step that loses names what no result has settled, in the order in which it was posted`() {
        var machine = self.posting([3, 1, 2])
        machine.settle("r1")
        let step = machine.fail(.offline, .offline, .retry, wait: nil)
        #expect(step.actions.contains(.lose))
        #expect(step.posted.map(\.name) == [3, 2])
        #expect(machine.posted.isEmpty)
        #expect(machine.memory.readsFirst)
    }

    @Test func `a POST that was answered has not failed, whatever its page was`() {
        var machine = self.posting([1])
        machine.settle("r1")
        _ = machine.fail(.protocol, .protocol, .retry, wait: nil)
        #expect(!machine.memory.readsFirst)
        #expect(machine.memory.postFailure == nil)
        #expect(machine.memory.failedPosts == 0)
    }

    @Test func `a store that fails leaves the exchange waiting, with nothing out`() {
        var machine = self.posting([1])
        #expect(machine.failStore().target == .waiting)
        #expect(machine.posted.isEmpty)
        #expect(!machine.isAwaiting(1))
    }

    @Test func `SPEC 3.3 what is postponed waits as long as it was refused often, and not for ever`() {
        var machine = self.getting()
        machine.postpone(1, attempt: 4)
        let step = machine.goOn(hasEdits: false, isAtEnd: true, waiting: .refused)
        #expect(step.actions == [.backOff, .finish])
        #expect(machine.memory.attempts == 4)
        machine = self.getting(machine)
        #expect(machine.postponed.isEmpty, "each sync begins anew")
    }

    @Test func `W8 nothing of the queue goes out before an answer to the new credentials`() {
        var machine = Machine()
        _ = machine.renew(after: 1)
        #expect(machine.ask(hasEdits: true, mayTryAccess: false).event == .dueToReadFirst)
        machine.send([], as: 1)
        machine.recogniseAccount()
        #expect(machine.memory.isAccountInDoubt, "that request went out before")
        machine.send([], as: 2)
        machine.recogniseAccount()
        #expect(!machine.memory.isAccountInDoubt)
    }
}

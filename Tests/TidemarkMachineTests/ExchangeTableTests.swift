import Testing
import TidemarkMachine

@Suite struct ExchangeTableTests {
    @Test(arguments: [ExchangePhase.idle, .waiting])
    func `an exchange starts with a POST if there are edits, or else with a GET (Contract §3.1)`(phase: ExchangePhase) {
        #expect(phase.transition(on: .dueToPost) == .move(.posting, .post))
        #expect(phase.transition(on: .dueToGet) == .move(.getting, .get))
    }

    @Test(arguments: ExchangeEvent.allCases)
    func `a POST without an answer is followed by a GET, unless cancelled (Contract §3.1)`(
        event: ExchangeEvent
    ) {
        guard case .move(_, let actions) = ExchangePhase.posting.transition(on: event) else { return }
        #expect(actions.contains(.readFirst) == (actions.contains(.markUnconfirmed) && event != .cancelled))
    }

    @Test(arguments: [ExchangePhase.getting, .posting])
    func `a collection has one exchange at a time`(phase: ExchangePhase) {
        #expect(phase.transition(on: .joined) == .stay)
    }

    @Test func `a paused exchange sends nothing and ends a request at once`() {
        #expect(ExchangePhase.paused.transition(on: .dueToPost) == .impossible)
        #expect(ExchangePhase.paused.transition(on: .dueToGet) == .impossible)
        #expect(ExchangePhase.paused.transition(on: .requestedWhilePaused) == .move(.paused, .finish))
    }

    @Test func `a request with bad credentials makes one try, a GET (Contract §3.5)`() {
        #expect(ExchangePhase.paused.transition(on: .retryAuth) == .move(.getting, .get))
    }

    @Test func `a cancelled exchange has not failed (Contract §3.5)`() {
        #expect(ExchangePhase.getting.transition(on: .cancelled) == .move(.idle, .finish))
        #expect(ExchangePhase.posting.transition(on: .cancelled) == .move(.idle, [.markUnconfirmed, .finish]))
    }

    @Test func `a batch that is refused or has too large an answer is halved at once (Contract §3.6)`() {
        #expect(
            ExchangePhase.posting.transition(on: .refusedWhole)
                == .move(.getting, [.markUnconfirmed, .readFirst, .bisect, .get]))
        #expect(
            ExchangePhase.posting.transition(on: .answeredTooMuch)
                == .move(.getting, [.markUnconfirmed, .readFirst, .bisect, .shrinkPage, .get]))
        #expect(ExchangePhase.getting.transition(on: .answeredTooMuch) == .move(.getting, [.shrinkPage, .get]))
    }

    @Test(arguments: [ExchangePhase.getting, .posting])
    func `an answer leads to the next request, or to idle (Contract §3.4)`(phase: ExchangePhase) {
        #expect(phase.transition(on: .dueToPost) == .move(.posting, .post))
        #expect(phase.transition(on: .dueToGet) == .move(.getting, .get))
        #expect(phase.transition(on: .done) == .move(.idle, [.resetFailures, .finish]))
    }

    @Test(arguments: FailureClass.allCases)
    func `a failed POST leaves every upload unconfirmed, after any failure (R17)`(failure: FailureClass) throws {
        let event = failure.event(whilePosting: true)
        guard case .move(_, let actions) = ExchangePhase.posting.transition(on: event) else {
            Issue.record("\(failure) does nothing to a POST")
            return
        }
        #expect(actions.contains(.markUnconfirmed))
    }

    @Test(arguments: FailureClass.allCases)
    func `a failed GET leaves no upload unconfirmed`(failure: FailureClass) throws {
        let event = failure.event(whilePosting: false)
        guard case .move(_, let actions) = ExchangePhase.getting.transition(on: event) else {
            Issue.record("\(failure) does nothing to a GET")
            return
        }
        #expect(!actions.contains(.markUnconfirmed))
    }

    @Test(arguments: [FailureClass.offline, .busy, .portal, .invalidAnswer])
    func `a temporary failure waits (Contract §3.5)`(failure: FailureClass) {
        for isPosting in [false, true] {
            let phase: ExchangePhase = isPosting ? .posting : .getting
            guard case .move(let target, let actions) = phase.transition(on: failure.event(whilePosting: isPosting))
            else { continue }
            #expect(target == .waiting)
            #expect(actions.contains(.backOff))
        }
    }

    @Test(arguments: [FailureClass.auth, .notFound, .identityChanged])
    func `a failure that only the app can fix pauses without a back-off (Contract §3.5)`(failure: FailureClass) {
        for isPosting in [false, true] {
            let phase: ExchangePhase = isPosting ? .posting : .getting
            guard case .move(let target, let actions) = phase.transition(on: failure.event(whilePosting: isPosting))
            else { continue }
            #expect(target == .paused)
            #expect(!actions.contains(.backOff))
        }
    }

    @Test(arguments: FailureClass.allCases.filter { $0 != .cancelled }, [false, true])
    func `a pausing policy stops for every class except a refused POST (Contract §3.5)`(
        failure: FailureClass, isPosting: Bool
    ) throws {
        let phase: ExchangePhase = isPosting ? .posting : .getting
        let event = failure.event(.pause, whilePosting: isPosting)
        guard case .move(let target, let actions) = phase.transition(on: event) else {
            Issue.record("\(failure) does nothing to an exchange")
            return
        }
        let isBisected = failure == .refused && isPosting
        #expect(target == (isBisected ? .getting : .paused))
        #expect(actions.contains(.markUnconfirmed) == isPosting, "R17")
        #expect(!actions.contains(.backOff))
    }

    @Test(
        arguments: FailureClass.allCases.filter { ![.historyLost, .refused, .cancelled].contains($0) }, [false, true])
    func `a retrying policy waits first, for every class (Contract §3.5)`(failure: FailureClass, isPosting: Bool) {
        let phase: ExchangePhase = isPosting ? .posting : .getting
        let expected: ExchangeActions =
            isPosting ? [.markUnconfirmed, .weighFailure, .readFirst, .backOff, .finish] : [.backOff, .finish]
        let event = failure.event(.retry, whilePosting: isPosting)
        #expect(phase.transition(on: event) == .move(.waiting, expected))
    }

    @Test func `a paused exchange continues when the app renews the credentials`() {
        #expect(ExchangePhase.paused.transition(on: .renewed) == .move(.idle, []))
    }

    @Test func `a lost history starts a full resync (Contract §6)`() {
        #expect(ExchangePhase.getting.transition(on: .historyLost) == .move(.getting, [.claimHistoryLoss, .get]))
        #expect(
            ExchangePhase.posting.transition(on: .historyLost)
                == .move(.getting, [.markUnconfirmed, .readFirst, .claimHistoryLoss, .get]))
    }

    @Test(arguments: [ExchangePhase.idle, .waiting, .getting, .posting])
    func `a throttled exchange waits and counts no try`(phase: ExchangePhase) {
        #expect(phase.transition(on: .throttled) == .move(.waiting, [.throttle, .finish]))
    }

    @Test func `results before a POST broke off count as a success`() {
        #expect(
            ExchangePhase.posting.transition(on: .answerPartlyApplied)
                == .move(.posting, [.countPoisonFailure, .clearFailures]))
        #expect(ExchangePhase.getting.transition(on: .answerPartlyApplied) == .impossible)
    }

    @Test(arguments: ExchangeEvent.allCases)
    func `an exchange that is waiting, idle or paused gets no answer`(event: ExchangeEvent) {
        switch event {
        case .retryAuth, .requestedWhilePaused: #expect(ExchangePhase.idle.transition(on: event) == .impossible)
        case .dueToPost, .dueToGet, .throttled, .renewed:
            #expect(ExchangePhase.idle.transition(on: event) != .impossible)
        case .postponed, .done, .joined, .answerPartlyApplied, .answerApplied, .resyncEnded, .failed, .stopped,
            .historyLost, .refusedWhole, .refusedAlone, .answeredTooMuch, .storeFailed, .cancelled:
            for phase in [ExchangePhase.idle, .waiting, .paused] {
                #expect(phase.transition(on: event) == .impossible)
            }
        }
    }
}

import Testing
import TidemarkMachine

@Suite struct ExchangeTableTests {
    @Test(arguments: [ExchangePhase.idle, .waiting])
    func `SPEC 3.1 what is to be sent goes first`(phase: ExchangePhase) {
        #expect(phase.transition(on: .dueToPost) == .move(.posting, .post))
        #expect(phase.transition(on: .dueToGet) == .move(.getting, .get))
    }

    @Test(arguments: ExchangeEvent.allCases)
    func `SPEC 3.1 whatever ends a POST without an answer has the feed read first, but for what the app cancelled`(
        event: ExchangeEvent
    ) {
        guard case .move(_, let actions) = ExchangePhase.posting.transition(on: event) else { return }
        #expect(actions.contains(.readFirst) == (actions.contains(.lose) && event != .cancelled))
    }

    @Test(arguments: [ExchangePhase.getting, .posting])
    func `a collection has one exchange at a time`(phase: ExchangePhase) {
        #expect(phase.transition(on: .joined) == .stay)
    }

    @Test func `nothing is sent while the exchange is paused, and whoever asks is told`() {
        #expect(ExchangePhase.paused.transition(on: .dueToPost) == .impossible)
        #expect(ExchangePhase.paused.transition(on: .dueToGet) == .move(.paused, .finish))
    }

    @Test func `SPEC 3.5 who asks while the credentials are bad gets one try, which sends nothing`() {
        #expect(ExchangePhase.paused.transition(on: .dueToTryAccess) == .move(.getting, .get))
    }

    @Test func `SPEC 3.5 what was cancelled has not failed`() {
        #expect(ExchangePhase.getting.transition(on: .cancelled) == .move(.idle, .finish))
        #expect(ExchangePhase.posting.transition(on: .cancelled) == .move(.idle, [.lose, .finish]))
    }

    @Test func `SPEC 3.6 a batch that is refused, or whose answer is too large, is halved at once`() {
        #expect(
            ExchangePhase.posting.transition(on: .refusedWhole)
                == .move(.getting, [.lose, .readFirst, .bisect, .get]))
        #expect(
            ExchangePhase.posting.transition(on: .answeredTooMuch)
                == .move(.getting, [.lose, .readFirst, .bisect, .shorten, .get]))
        #expect(ExchangePhase.getting.transition(on: .answeredTooMuch) == .move(.getting, [.shorten, .get]))
    }

    @Test(arguments: [ExchangePhase.getting, .posting])
    func `SPEC 3.4 an answer leads on to the next request, or to rest`(phase: ExchangePhase) {
        #expect(phase.transition(on: .dueToPost) == .move(.posting, .post))
        #expect(phase.transition(on: .dueToGet) == .move(.getting, .get))
        #expect(phase.transition(on: .done) == .move(.idle, [.clear, .finish]))
    }

    @Test(arguments: FailureClass.allCases)
    func `R17 a POST that failed leaves every upload in doubt, whatever the failure`(failure: FailureClass) throws {
        let event = failure.event(whilePosting: true)
        guard case .move(_, let actions) = ExchangePhase.posting.transition(on: event) else {
            Issue.record("\(failure) does nothing to a POST")
            return
        }
        #expect(actions.contains(.lose))
    }

    @Test(arguments: FailureClass.allCases)
    func `a GET that failed leaves no upload in doubt`(failure: FailureClass) throws {
        let event = failure.event(whilePosting: false)
        guard case .move(_, let actions) = ExchangePhase.getting.transition(on: event) else {
            Issue.record("\(failure) does nothing to a GET")
            return
        }
        #expect(!actions.contains(.lose))
    }

    @Test(arguments: [FailureClass.offline, .busy, .portal, .protocol])
    func `SPEC 3.5 a failure that passes waits`(failure: FailureClass) {
        for isPosting in [false, true] {
            let phase: ExchangePhase = isPosting ? .posting : .getting
            guard case .move(let target, let actions) = phase.transition(on: failure.event(whilePosting: isPosting))
            else { continue }
            #expect(target == .waiting)
            #expect(actions.contains(.backOff))
        }
    }

    @Test(arguments: [FailureClass.auth, .notFound, .identityChanged])
    func `SPEC 3.5 what only the app can mend pauses, and counts no try`(failure: FailureClass) {
        for isPosting in [false, true] {
            let phase: ExchangePhase = isPosting ? .posting : .getting
            guard case .move(let target, let actions) = phase.transition(on: failure.event(whilePosting: isPosting))
            else { continue }
            #expect(target == .paused)
            #expect(!actions.contains(.backOff))
        }
    }

    @Test(arguments: FailureClass.allCases.filter { $0 != .cancelled }, [false, true])
    func `SPEC 3.5 a policy that pauses stops every class, but for a POST that is refused`(
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
        #expect(actions.contains(.lose) == isPosting, "R17")
        #expect(!actions.contains(.backOff))
    }

    @Test(
        arguments: FailureClass.allCases.filter { ![.historyLost, .refused, .cancelled].contains($0) }, [false, true])
    func `SPEC 3.5 a policy that tries again waits first, whatever the class`(failure: FailureClass, isPosting: Bool) {
        let phase: ExchangePhase = isPosting ? .posting : .getting
        let expected: ExchangeActions =
            isPosting ? [.lose, .blame, .readFirst, .backOff, .finish] : [.backOff, .finish]
        let event = failure.event(.retry, whilePosting: isPosting)
        #expect(phase.transition(on: event) == .move(.waiting, expected))
    }

    @Test func `a paused exchange goes on when the app renews`() {
        #expect(ExchangePhase.paused.transition(on: .renewed) == .move(.idle, []))
    }

    @Test func `SPEC 6 lost history starts the listing over`() {
        #expect(ExchangePhase.getting.transition(on: .historyLost) == .move(.getting, [.startOver, .get]))
        #expect(
            ExchangePhase.posting.transition(on: .historyLost)
                == .move(.getting, [.lose, .readFirst, .startOver, .get]))
    }

    @Test(arguments: [ExchangePhase.idle, .waiting, .getting, .posting])
    func `a server that wants to be left alone is, and no try is counted`(phase: ExchangePhase) {
        #expect(phase.transition(on: .dueTooEarly) == .move(.waiting, [.rest, .finish]))
    }

    @Test func `what was answered before a POST broke off counts as taken`() {
        #expect(ExchangePhase.posting.transition(on: .appliedInPart) == .move(.posting, [.charge, .acquit]))
        #expect(ExchangePhase.getting.transition(on: .appliedInPart) == .impossible)
    }

    @Test(arguments: ExchangeEvent.allCases)
    func `an exchange that waits or rests is told of no answer`(event: ExchangeEvent) {
        switch event {
        case .dueToTryAccess: #expect(ExchangePhase.idle.transition(on: event) == .impossible)
        case .dueToPost, .dueToGet, .dueTooEarly, .renewed:
            #expect(ExchangePhase.idle.transition(on: event) != .impossible)
        case .postponed, .done, .joined, .appliedInPart, .applied, .resyncEnded, .failed, .stopped, .historyLost,
            .refusedWhole, .refusedAlone, .answeredTooMuch, .storeFailed, .cancelled:
            for phase in [ExchangePhase.idle, .waiting, .paused] {
                #expect(phase.transition(on: event) == .impossible)
            }
        }
    }
}

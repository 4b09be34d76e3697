// The diagnosis of a failure (Contract §3.5), and its evidence (§3.6).

extension ExchangeMachine {
    /// A failure, and the choice of the policy for it.
    package struct Failed: Hashable, Sendable {
        /// The class as reported.
        package var failureClass: FailureClass

        /// The likely cause.
        package var blame: FailureBlame

        /// Whether an answer shows it by another epoch, so that the cursors of the request do not matter.
        package var isOtherEpoch: Bool

        /// Whether an edit of the POST may be the cause.
        package var isEvidence: Bool

        /// Whether it follows an answer of the store's own account.
        package var isOfOurs: Bool

        /// Describes a failure.
        package init(
            _ failureClass: FailureClass, _ blame: FailureBlame = .unknown, isOtherEpoch: Bool = false,
            isEvidence: Bool = true, isOfOurs: Bool = false
        ) {
            self.failureClass = failureClass
            self.blame = blame
            self.isOtherEpoch = isOtherEpoch
            self.isEvidence = isEvidence
            self.isOfOurs = isOfOurs
        }
    }

    /// The choice of a policy for a failure.
    package struct Verdict: Hashable, Sendable {
        /// The failure after diagnosis.
        package var failure: Failure

        /// What the policy of the class chose: retry or pause.
        package var course: FailureDisposition

        /// The wait that the policy chose; nil for `Retry-After` or the back-off.
        package var wait: Duration?

        /// Whether the app decides about a rollback of the server before any value is replaced (Contract §6).
        package var pausesAtRollback: Bool

        /// Makes a verdict.
        package init(
            _ failure: Failure, _ course: FailureDisposition, wait: Duration? = nil, pausesAtRollback: Bool = false
        ) {
            self.failure = failure
            self.course = course
            self.wait = wait
            self.pausesAtRollback = pausesAtRollback
        }
    }

    /// The diagnosis of a failure, before the policy is asked.
    package enum Diagnosis: Hashable, Sendable {
        /// The failure as reported.
        case itself

        /// The one edit in the POST is refused.
        case refusalOfOne

        /// Every edit is refused, whichever is sent, so no single edit is held.
        case refusalOfEveryone

        /// The answer is too large, and a smaller one can be requested.
        case tooMuch

        /// A failure of credentials or a URL that the app has renewed after the request was sent.
        case staleCredentials

        /// The newest cursor alone is refused. No rows are read from it, so its age is no reason: the server was rolled back (W8).
        case rollback

        /// A history is reported as lost although the request named none. To start over would repeat that endlessly (I8).
        case noHistory

        /// A history is lost again and again in one sync: several servers alternate behind one URL. Only a wait helps.
        case alternatingHistories
    }

    /// What a failure is evidence of (Contract §3.6).
    enum Evidence: Hashable, Sendable {
        /// No evidence.
        case none

        /// One record failed alone. It is a suspect until another exchange shows that the server works.
        case alone

        /// A batch failed as a whole a second time, and is halved.
        case again
    }

    /// A failure with its diagnosis and its evidence, for ``receive(_:_:_:)``.
    package struct DiagnosedFailure: Hashable, Sendable {
        package let diagnosis: Diagnosis

        fileprivate let evidence: Evidence

        fileprivate let memory: ExchangeMemory<Name, Failure>

        /// Whether the policy of the class chooses the course; any other failure has only one.
        package var asksPolicy: Bool { self.diagnosis != .refusalOfOne && self.diagnosis != .tooMuch }
    }

    /// Diagnoses a failure.
    package func diagnose(_ failed: Failed, _ limits: ExchangeLimits) -> DiagnosedFailure {
        var machine = self
        if failed.isOfOurs { machine.recognizeAccount() }
        let evidence = machine.collectEvidence(failed, limits)
        return DiagnosedFailure(
            diagnosis: machine.diagnosis(of: failed, limits), evidence: evidence, memory: machine.memory)
    }

    /// Returns the course after a failure: the choice of its policy, unless the app decides about the rollback of the server first.
    package func course(by verdict: Verdict) -> FailureDisposition {
        let isStopping = verdict.pausesAtRollback && verdict.failure.serverRolledBack && !self.mayFollowRollback
        return isStopping ? .pause : verdict.course
    }

    /// Handles a failure of the exchange, or of the rest of it after some results.
    ///
    /// - Parameters:
    ///   - failure: The failure, diagnosed since the last input.
    ///   - verdict: The choice of the policy about its cause.
    package mutating func receive(
        _ failure: DiagnosedFailure, _ verdict: Verdict, _ limits: ExchangeLimits
    ) -> Step {
        self.memory = failure.memory
        guard failure.diagnosis != .refusalOfOne else {
            return self.move(on: .refusedAlone, Facts(failure: verdict.failure), limits)
        }
        if self.isPosting { self.memory.postFailure = verdict.failure }
        guard failure.diagnosis != .tooMuch else {
            return self.move(on: .answeredTooMuch, Facts(failure: verdict.failure), limits)
        }
        // Another process has to read before it sends anything, since only reading shows the loss.
        let course = self.course(by: verdict)
        if verdict.failure.failureClass == .historyLost, course == .pause { self.memory.readsFirst = true }
        let event = verdict.failure.failureClass.event(course, whilePosting: self.isPosting)
        let wait = course == .retry ? verdict.wait : nil
        return self.move(on: event, Facts(failure: verdict.failure, wait: wait, evidence: failure.evidence), limits)
    }

    private func diagnosis(of failed: Failed, _ limits: ExchangeLimits) -> Diagnosis {
        switch failed.failureClass {
        case .auth, .notFound, .identityChanged: return self.isStale ? .staleCredentials : .itself
        case .offline, .busy, .portal, .cancelled: return .itself
        case .invalidAnswer:
            let isLast = self.oversized + 1 >= limits.oversizedAnswers
            return self.isTooMuch(failed, limits) && !isLast ? .tooMuch : .itself
        case .historyLost:
            let cursors = self.request.cursors
            guard failed.isOtherEpoch || cursors != Cursors() else { return .noHistory }
            guard self.refusals < limits.fullResyncs else { return .alternatingHistories }
            return failed.isOtherEpoch || cursors.cursor != nil ? .itself : .rollback
        case .refused:
            guard self.phase == .posting, self.lone != nil else { return .itself }
            return failed.blame == .sender && self.memory.poison.isServerToBlame ? .refusalOfEveryone : .refusalOfOne
        }
    }

    private func isTooMuch(_ failed: Failed, _ limits: ExchangeLimits) -> Bool {
        let canAskForLess = self.request.posted.count > 1 || self.pageSize(limits) > 1
        return failed.blame == .answerSize && canAskForLess
    }

    /// Counts the failure, and returns its evidence.
    private mutating func collectEvidence(_ failed: Failed, _ limits: ExchangeLimits) -> Evidence {
        guard failed.isEvidence else { return .none }
        // A GET that the server answered with a failure counts as tried: an unreadable feed must not block writes indefinitely.
        // A GET without an answer is tried again before the POST.
        if self.phase == .getting, [.invalidAnswer, .refused].contains(failed.failureClass) {
            self.memory.readsFirst = false
        }
        guard self.isPosting else { return .none }
        switch failed.failureClass {
        // Failures of these classes say nothing about the edits.
        case .auth, .notFound, .portal, .identityChanged, .historyLost, .cancelled: return .none
        case .refused:
            // A refusal may be about the account. Several in a row are no record's fault: the account may be read-only.
            if let lone, failed.blame == .sender { self.memory.poison.note(lone) }
            return .none
        case .offline:
            // A server that crashes on one record looks like a network failure, so missing answers count as well, but only after
            // many tries.
            guard self.memory.failedPosts >= limits.unansweredPosts else {
                self.memory.failedPosts += 1
                return .none
            }
            return self.suspect()
        case .busy: return self.suspect()
        case .invalidAnswer:
            // An unknown path or method is no record's fault. Nor is an answer that can be made smaller.
            return failed.blame == .server || self.isTooMuch(failed, limits) ? .none : self.suspect()
        }
    }

    private mutating func suspect() -> Evidence {
        let isRepeated = self.memory.failedPosts > 0
        self.memory.failedPosts += 1
        guard let lone else { return isRepeated ? .again : .none }
        self.memory.poison.note(lone)
        return self.memory.poison.isServerToBlame ? .none : .alone
    }
}

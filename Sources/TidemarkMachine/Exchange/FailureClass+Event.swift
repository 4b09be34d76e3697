extension FailureClass {
    /// The default policy of the class.
    package var course: FailureDisposition {
        switch self {
        case .offline, .busy, .portal, .refused, .invalidAnswer, .historyLost, .cancelled: .retry
        case .auth, .notFound, .identityChanged: .pause
        }
    }

    /// Returns the event for a failure of this class.
    ///
    /// A refused GET is a transient failure: the cursor stays, and the next try is scheduled. A refused POST neither waits nor
    /// pauses, whatever the policy chose: the refused edit is found by bisection, and has its own policy. A cancellation by the
    /// app has no policy.
    ///
    /// - Parameters:
    ///   - course: The choice of the policy; nil for the default.
    ///   - isPosting: Whether there were edits in the request.
    package func event(_ course: FailureDisposition? = nil, whilePosting isPosting: Bool) -> ExchangeEvent {
        switch (self, course ?? self.course) {
        case (.cancelled, _): .cancelled
        case (.refused, _) where isPosting: .refusedWhole
        case (.historyLost, .retry): .historyLost
        case (.offline, .retry), (.busy, .retry), (.auth, .retry), (.portal, .retry), (.refused, .retry),
            (.invalidAnswer, .retry), (.identityChanged, .retry), (.notFound, .retry):
            .failed
        case (.auth, .pause), (.identityChanged, .pause), (.offline, .pause), (.busy, .pause), (.portal, .pause),
            (.refused, .pause), (.invalidAnswer, .pause), (.historyLost, .pause), (.notFound, .pause):
            .stopped
        }
    }
}

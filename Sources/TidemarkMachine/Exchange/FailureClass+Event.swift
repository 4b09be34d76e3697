extension FailureClass {
    /// What is made of a failure of this class when the app has no policy of its own.
    package var course: FailureCourse {
        switch self {
        case .offline, .busy, .portal, .refused, .protocol, .historyLost, .cancelled: .retry
        case .auth, .notFound, .identityChanged: .pause
        }
    }

    /// What a failure of this class means to an exchange that was posting, or was getting.
    ///
    /// A GET has nothing that could be refused by itself, so a refused GET is a failure like any other that passes:
    /// the watermark stays, and the next try is set. A refused POST is not waited out and does not pause, whatever the
    /// course: the edit that is refused is looked for, and it alone has a policy then. Nor has a policy a say where the
    /// app itself has cancelled.
    ///
    /// - Parameters:
    ///   - course: What the policy chose; nil for what is made of the class by default.
    ///   - isPosting: Whether there were edits in the request.
    package func event(_ course: FailureCourse? = nil, whilePosting isPosting: Bool) -> ExchangeEvent {
        switch (self, course ?? self.course) {
        case (.cancelled, _): .cancelled
        case (.refused, _) where isPosting: .refusedWhole
        case (.historyLost, .retry): .historyLost
        case (.offline, .retry), (.busy, .retry), (.auth, .retry), (.portal, .retry), (.refused, .retry),
            (.protocol, .retry), (.identityChanged, .retry), (.notFound, .retry):
            .failed
        case (.auth, .pause), (.identityChanged, .pause), (.offline, .pause), (.busy, .pause), (.portal, .pause),
            (.refused, .pause), (.protocol, .pause), (.historyLost, .pause), (.notFound, .pause):
            .stopped
        }
    }
}

extension FailureClass {
    /// What a failure of this class means to an exchange that was posting, or was getting.
    ///
    /// A GET has nothing that could be refused by itself, so a refused GET is a failure like any other that passes:
    /// the watermark stays, and the next try is set.
    public func event(whilePosting isPosting: Bool) -> ExchangeEvent {
        switch self {
        case .offline, .busy, .protocol: .failed
        case .auth: .unauthorised
        case .refused: isPosting ? .refusedWhole : .failed
        case .historyLost: .historyLost
        case .identityChanged: .mistaken
        }
    }
}

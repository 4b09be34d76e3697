/// Who or what can have caused a failure, as far as it shows (SPEC §3.6).
public enum FailureBlame: Hashable, Sendable {
    /// Nobody can tell: it may be what was sent.
    case unknown

    /// The server, whatever it is sent: it does not know the path, or the method.
    case server

    /// What was sent, or whoever sent it: a refusal that names no reason is one or the other.
    case sender

    /// The size of the answer: the same request would bring the same again.
    case answerSize
}

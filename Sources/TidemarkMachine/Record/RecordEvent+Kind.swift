extension RecordEvent {
    /// The category of an event, for counters, logs and explanations. It is decided in one place, and the compiler checks that
    /// no event is missing.
    public enum Kind: Hashable, Sendable {
        /// The result of a merge of two sides.
        public enum Merge: Hashable, Sendable {
            /// The local change stays on top of the server's version.
            case ours

            /// Both sides are equal, so nothing is left to send.
            case same

            /// The server's version won.
            case theirs

            /// The server's deletion won.
            case nothing
        }

        /// An action of the app.
        case app

        /// A local change was discarded.
        case resignation

        /// The record was sent, or reached its limit of tries.
        case schedule

        /// A state of the server was received.
        case feed

        /// The server accepted the upload.
        case accepted

        /// The server did not accept the upload, or the outcome is unknown.
        case notAccepted

        /// Both sides had changed the record, and the conflict has a result.
        case merged(Merge)

        /// A conflict is open.
        case question
    }

    /// The category of this event.
    public var kind: Kind {
        switch self {
        case .created, .createdAgain, .edited, .reverted, .editedUnconfirmed, .createdUnconfirmed,
            .createdAgainUnconfirmed,
            .deleted, .discarded, .deletedUnconfirmed, .retried, .resumed:
            .app
        case .resigned, .abandoned, .createAbandoned: .resignation
        case .sent, .exhausted: .schedule
        case .refreshed, .repeated, .gone, .seen: .feed
        case .accepted, .acceptedEarlier, .acceptedGone, .acceptedThenDeleted: .accepted
        case .conflicted, .cancelledCreateRefused, .refused, .refusedEarlier, .refusedUnconfirmed, .lost,
            .idempotencyLost:
            .notAccepted
        case .rebased, .recreated, .revived: .merged(.ours)
        case .converged: .merged(.same)
        case .adopted: .merged(.theirs)
        case .erased: .merged(.nothing)
        case .clashed, .escalatedToUser, .stale: .question
        }
    }
}

extension RecordEvent {
    /// What sort of thing an event is, for whoever counts, tells or explains. One place, and the compiler sees to it that
    /// no event is missed.
    public enum Kind: Hashable, Sendable {
        /// What a merge of two sides came to.
        public enum Merge: Hashable, Sendable {
            /// What was changed here goes on over what the server has.
            case ours

            /// Both have the same, so nothing is left to send.
            case same

            /// What the server has stands.
            case theirs

            /// The server's deletion stands.
            case nothing
        }

        /// The app did something.
        case app

        /// A local change was given up.
        case resignation

        /// Its turn came, or it used up its turns.
        case schedule

        /// What the server has came, or was found out.
        case feed

        /// The server took what was sent.
        case accepted

        /// The server did not take what was sent, or no one knows.
        case notAccepted

        /// Both sides had changed the record, and one outcome came of it.
        case merged(Merge)

        /// Someone has to decide.
        case question
    }

    /// What sort of thing this is.
    public var kind: Kind {
        switch self {
        case .created, .createdAgain, .edited, .reverted, .editedInDoubt, .createdInDoubt, .createdAgainInDoubt,
            .deleted, .discarded, .deletedInDoubt, .released, .resumed:
            .app
        case .resigned, .abandoned, .withdrawn: .resignation
        case .sent, .exhausted: .schedule
        case .refreshed, .repeated, .gone, .seen: .feed
        case .accepted, .acceptedEarlier, .acceptedGone, .acceptedThenDeleted: .accepted
        case .conflicted, .dissolved, .refused, .refusedEarlier, .refusedInDoubt, .lost, .forgotten: .notAccepted
        case .rebased, .recreated, .revived: .merged(.ours)
        case .converged: .merged(.same)
        case .adopted: .merged(.theirs)
        case .erased: .merged(.nothing)
        case .clashed, .undecided, .stale: .question
        }
    }
}

import TidemarkMachine

extension RecordEvent {
    /// What happened, in one sentence, for a page that explains it. The case's own documentation begins with the same.
    var meaning: String {
        switch self {
        case .created: "The app made a record."
        case .createdAgain: "The app made a record again, which was deleted here before the server ever confirmed it."
        case .edited: "The app changed a record."
        case .reverted: "The app changed a record back to what the server confirmed, and nothing is under way."
        case .editedInDoubt: "The app changed a held record, and an upload of it may have reached the server."
        case .createdInDoubt:
            "The app made a record again that is held as deleted, and an upload of it may have reached the server."
        case .createdAgainInDoubt:
            "The app made a never confirmed record again that is held as deleted, and an upload of it may have arrived."
        case .deleted: "The app deleted a record that the server has, or may have."
        case .discarded: "The app deleted a record that the server can't have."
        case .deletedInDoubt: "The app deleted a held record, and an upload of it may have reached the server."
        case .released: "A held record may try again."
        case .resumed: "A held record may try again, and the fate of its upload is still unknown."
        case .resigned: "The local change is given up for the version that the server confirmed."
        case .abandoned: "A create is given up, and the server can't have it."
        case .withdrawn: "A create is given up, and the server may have it."
        case .sent: "The record's bytes went into a POST."
        case .exhausted: "The record used up its tries."
        case .refreshed: "A row came, and nothing was changed here."
        case .repeated: "The very version came that is known already."
        case .rebased: "A row came, and the local change goes on over it."
        case .converged: "A row came that has all that was changed here."
        case .clashed: "A row came that differs from what was changed here."
        case .gone: "The server has the record no more."
        case .seen: "A row came while the fate of an upload is unknown; it waits until that is settled."
        case .accepted: "The server took the upload, and nothing was changed here meanwhile."
        case .acceptedEarlier: "The server took the upload, and more was changed here meanwhile."
        case .acceptedGone: "The server took the delete, and the record was made again here meanwhile."
        case .acceptedThenDeleted:
            "The server took the upload, and the record was deleted there since; nothing was changed here meanwhile."
        case .conflicted: "The server did not take the upload: its version is another."
        case .dissolved: "The server did not take a create that was deleted here meanwhile."
        case .refused: "The server refused the upload for its content."
        case .refusedEarlier: "The server refused an upload that was changed here meanwhile."
        case .refusedInDoubt:
            "The server refused a request as a whole, with an upload in it that it may have taken before."
        case .lost: "No one knows what became of the upload."
        case .forgotten: "The server may have forgotten what it answered to the upload."
        case .adopted: "The server's version won, or a merge that left nothing to send."
        case .erased: "The server's deletion won."
        case .recreated: "The local edit won over the server's deletion."
        case .revived: "A merged content won over the local deletion."
        case .undecided: "A person has to decide."
        case .stale: "A decision came for facts that have moved on."
        }
    }
}

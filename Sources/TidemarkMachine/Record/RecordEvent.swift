/// Something that happened to one record.
///
/// Events carry no data. Whatever a decision depends on (what the server's row says, whether the user typed on while a
/// request was in flight, whether the patch still fits) is classified first, so that it shows as an event of its own,
/// and as an arrow of its own in the diagrams.
public enum RecordEvent: String, CaseIterable, Sendable {
    // MARK: From the app

    /// The app made a record.
    case created

    /// The app made a record again, which was deleted here before the server ever confirmed it.
    case createdAgain

    /// The app changed a record.
    case edited

    /// The app changed a record back to what the server confirmed, and nothing is under way.
    case reverted

    /// The app changed a held record, and an upload of it may have reached the server.
    case editedInDoubt

    /// The app made a record again that is held as deleted, and an upload of it may have reached the server.
    case createdInDoubt

    /// The app made a never confirmed record again that is held as deleted, and an upload of it may have arrived.
    case createdAgainInDoubt

    /// The app deleted a record that the server has, or may have.
    case deleted

    /// The app deleted a record that the server can't have.
    case discarded

    /// The app deleted a held record, and an upload of it may have reached the server.
    case deletedInDoubt

    /// A held record may try again.
    case released

    /// A held record may try again, and the fate of its upload is still unknown.
    case resumed

    /// The local change is given up for the version that the server confirmed.
    case resigned

    /// A create is given up, and the server can't have it.
    case abandoned

    /// A create is given up, and the server may have it.
    case withdrawn

    // MARK: From the schedule

    /// The record's bytes went into a POST.
    case sent

    /// The record used up its tries.
    case exhausted

    // MARK: From the server, in a feed page or beside a conflict

    /// A row came, and nothing was changed here.
    case refreshed

    /// The very version came that is known already.
    case repeated

    /// A row came, and the local change goes on over it.
    case rebased

    /// A row came that has all that was changed here.
    case converged

    /// A row came that differs from what was changed here.
    case clashed

    /// The server has the record no more.
    case gone

    /// A row came while the fate of an upload is unknown; it waits until that is settled.
    case seen

    // MARK: From the server, in answer to a POST

    /// The server took the upload, and nothing was changed here meanwhile.
    case accepted

    /// The server took the upload, and more was changed here meanwhile.
    case acceptedEarlier

    /// The server took the delete, and the record was made again here meanwhile.
    case acceptedGone

    /// The server took the upload, and the record was deleted there since; nothing was changed here meanwhile.
    case acceptedThenDeleted

    /// The server did not take the upload: its version is another.
    case conflicted

    /// The server did not take a create that was deleted here meanwhile.
    case dissolved

    /// The server refused the upload for its content.
    case refused

    /// The server refused an upload that was changed here meanwhile.
    case refusedEarlier

    /// The server refused a request as a whole, with an upload in it that it may have taken before.
    case refusedInDoubt

    /// No one knows what became of the upload.
    case lost

    /// The server may have forgotten what it answered to the upload.
    case forgotten

    // MARK: From the tactic

    /// The server's version won, or a merge that left nothing to send.
    case adopted

    /// The server's deletion won.
    case erased

    /// The local edit won over the server's deletion.
    case recreated

    /// A merged content won over the local deletion.
    case revived

    /// A person has to decide.
    case undecided

    /// A decision came for facts that have moved on.
    case stale
}

/// Something that happened to one record.
///
/// Events carry no data. The facts that a decision depends on are classified first (for example, the content of the server's
/// row, whether the record was edited while a request was in flight, whether the patch still fits). So each case is a separate
/// event, and a separate arrow in the diagrams.
public enum RecordEvent: String, CaseIterable, Sendable {
    // MARK: From the app

    /// The app created a record.
    case created

    /// The app created a record again that was deleted here before the server confirmed it.
    case createdAgain

    /// The app changed a record.
    case edited

    /// The app changed a record back to the confirmed content, and no upload is pending.
    case reverted

    /// The app changed a held record whose upload is unconfirmed.
    case editedUnconfirmed

    /// The app created a record again that is held as deleted, and its upload is unconfirmed.
    case createdUnconfirmed

    /// The app created a never confirmed record again that is held as deleted, and its upload is unconfirmed.
    case createdAgainUnconfirmed

    /// The app deleted a record that the server has, or may have.
    case deleted

    /// The app deleted a record that the server can't have.
    case discarded

    /// The app deleted a held record whose upload is unconfirmed.
    case deletedUnconfirmed

    /// A held record is retried, and it has no upload.
    case retried

    /// A held record is retried, and its upload is unconfirmed.
    case resumed

    /// The local change was discarded, and the confirmed version is shown.
    case resigned

    /// A create was discarded, and the server can't have it.
    case abandoned

    /// A create was discarded, and the server may have it.
    case createAbandoned

    // MARK: From the schedule

    /// The upload was put into a POST.
    case sent

    /// The record reached its limit of tries.
    case exhausted

    // MARK: From the server, in a feed page or with a conflict

    /// A row was received, and the record has no local change.
    case refreshed

    /// A row was received whose version is known already.
    case repeated

    /// A row was received, and the local change stays on top of it.
    case rebased

    /// A row was received that contains the whole local change.
    case converged

    /// A row was received that conflicts with the local change.
    case clashed

    /// The server no longer has the record.
    case gone

    /// A row was received while an upload is unconfirmed; it is applied after the outcome is known.
    case seen

    // MARK: From the server, in answer to a POST

    /// The server accepted the upload, and nothing was changed here meanwhile.
    case accepted

    /// The server accepted the upload, and more was changed here meanwhile.
    case acceptedEarlier

    /// The server accepted the delete, and the record was created again here meanwhile.
    case acceptedGone

    /// The server accepted the upload, and the record was deleted there afterwards; nothing was changed here meanwhile.
    case acceptedThenDeleted

    /// The server did not accept the upload: the record has another version there.
    case conflicted

    /// The server did not accept a create, and the record was deleted here meanwhile.
    case cancelledCreateRefused

    /// The server refused the upload for its content.
    case refused

    /// The server refused an upload that was changed here meanwhile.
    case refusedEarlier

    /// The server refused a whole request, and may have accepted this upload before.
    case refusedUnconfirmed

    /// The outcome of the upload is unknown.
    case lost

    /// The server may no longer repeat its answer to the upload.
    case idempotencyLost

    // MARK: From the tactic

    /// The server's version won, or a merge that left nothing to send.
    case adopted

    /// The server's deletion won.
    case erased

    /// The local edit won over the server's deletion.
    case recreated

    /// A merged content won over the local deletion.
    case revived

    /// The user has to decide.
    case escalatedToUser

    /// A decision about facts that have changed after it was made.
    case stale
}

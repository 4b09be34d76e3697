package import TidemarkMachine

extension RecordMachine {
    /// An input of the machine, with its data.
    package enum Input: Hashable, Sendable {
        /// The app creates the record; it is absent, or deleted here.
        case create(RecordPayload)

        /// The app changes the record, which is visible, to a new content.
        case edit(RecordPayload)

        /// The app deletes the record, which is visible.
        case delete

        /// A held record is retried.
        case retry

        /// The app discards the local change.
        case resign

        /// The policy for refusals discards the change that was just refused.
        case giveUp

        /// The record is to be sent. Id and recognition are for a new upload; an unconfirmed one keeps its own (R17).
        case send(requestID: String, roundLimit: Int, recognition: Recognition)

        /// The record is held: it failed alone too often, or conflicted too often (Contract §3.3, §3.6).
        case hold

        /// A state of the server, from a row of the feed.
        case feedRow(ServerState)

        /// A state of the server, from the answer that reported a conflict of the upload.
        case conflictRow(ServerState)

        /// The server answered the upload.
        case answered(Answer)

        /// The POST got no answer that can be trusted, or the process was stopped.
        case lost

        /// The server's history was lost while the upload is unconfirmed: its answer may be forgotten (Contract §6).
        case historyLost

        /// A tactic, or the user, decided about a conflict.
        case verdict(Verdict, about: Conflict)
    }

    /// Whose values the row of an accepted upload has.
    package enum RowOrigin: Hashable, Sendable {
        /// The row is the result of this write: the server compares the version and writes in one step.
        case ownWrite

        /// The sent values are those of this write, which the server may have altered; other values may be another writer's.
        case ownWriteWhereSent

        /// Each value may be another writer's: the server checks a version and then writes, or it checks none.
        case anyWrite

        /// Each value may be another writer's: the row was read after the write.
        case readBack
    }

    /// The server's answer to one upload.
    package enum Answer: Hashable, Sendable {
        /// The upload was accepted; the row is the server's present state. `origin`: whose values the row has, unless it was
        /// resent.
        case accepted(ServerState, origin: RowOrigin = .ownWrite)

        /// The upload was based on another version; the row is the server's present state.
        case conflicted(ServerState)

        /// The upload can't be accepted as it is (Contract §3, class *refused item*).
        case refused

        /// The upload can't be accepted, because the server has no such record (R8).
        case refusedAsMissing

        /// The whole request with it was refused because of the sender: the server did not look at whether it accepted the
        /// upload before. A request that is too large, or is otherwise refused for its content, was refused at the first time,
        /// too.
        case refusedUnread

        /// Converts the refusal of a request with one edit into the answer to that edit.
        package init(refusedWhole blame: FailureBlame) {
            self =
                switch blame {
                case .sender: .refusedUnread
                case .unknown, .server, .answerSize: .refused
                }
        }
    }

    /// Two sides that differ, and their common base.
    package struct Conflict: Hashable, Sendable {
        /// Which sides did what.
        package var kind: ConflictKind

        /// The common base of both sides; nil for create/create.
        package var base: RecordPayload?

        /// The server's side.
        package var server: ServerState

        /// The client's side; nil when it was deleted here.
        package var client: RecordPayload?

        /// Makes a conflict, as a test of a tactic does.
        package init(kind: ConflictKind, base: RecordPayload?, server: ServerState, client: RecordPayload?) {
            self.kind = kind
            self.base = base
            self.server = server
            self.client = client
        }
    }

    /// The decision about a conflict.
    package enum Verdict: Hashable, Sendable {
        /// The server's side wins; the local change is discarded.
        case server

        /// The client's side wins, on top of the server's version.
        case client

        /// The given content wins: a merge of both sides.
        case content(RecordPayload)

        /// The user has to decide.
        case ask
    }

    /// One transition, with its actions.
    package struct Step: Sendable {
        /// The event that the input was classified as.
        package var event: RecordEvent

        /// The phase before the transition.
        package var source: RecordPhase

        /// The phase after the transition.
        package var target: RecordPhase

        /// The actions to carry out now.
        package var actions: RecordActions

        /// The input to receive next, in the same transaction; nil for none.
        package var next: Input?

        /// The merge of both sides, if the event is that they clash: for the tactic and the journal, so that it is made once.
        package var clash: RecordMerge?

        init(
            event: RecordEvent, source: RecordPhase, target: RecordPhase, actions: RecordActions, next: Input?,
            clash: RecordMerge? = nil
        ) {
            self.event = event
            self.source = source
            self.target = target
            self.actions = actions
            self.next = next
            self.clash = clash
        }
    }
}

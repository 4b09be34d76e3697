extension RecordMachine {
    /// What can happen to a record, with the data that comes with it.
    public enum Input: Hashable, Sendable {
        /// The app makes the record; it is absent, or deleted here.
        case create(Content)

        /// The app changes the record, which it sees, to a new content.
        case edit(Content)

        /// The app deletes the record, which it sees.
        case delete

        /// A held record may try again.
        case release

        /// The app gives the local change up.
        case resign

        /// The policy for refusals gives up the change that was just refused.
        case giveUp

        /// The record's turn has come. Id and recognition are for a new upload; an unconfirmed one keeps its own (R17).
        case send(requestID: String, roundLimit: Int, recognition: Recognition)

        /// The record is held: it failed alone too often, or came back too often (SPEC §3.3, §3.6).
        case hold

        /// The feed showed what the server has.
        case listed(ServerState)

        /// What the server has, as the answer showed it that called the upload conflicted.
        case met(ServerState)

        /// The server answered the upload.
        case answered(Answer)

        /// The POST got no answer that can be trusted, or the process was stopped.
        case lost

        /// The server's history was lost while the fate of the upload is unknown: its answer may be forgotten (SPEC §6).
        case historyLost

        /// A tactic, or a person, decided about a conflict.
        case verdict(Verdict, about: Conflict)
    }

    /// What the server says of one upload.
    public enum Answer: Hashable, Sendable {
        /// It was taken; this is what the server has now. The row is what the write made unless it was sent before; where the
        /// server checks a version and then writes, or a row is read afterwards, it may be another writer's.
        case accepted(ServerState, isOwnWrite: Bool = true)

        /// It was made on another version; this is what the server has.
        case conflicted(ServerState)

        /// It can't be taken as it is (SPEC §3, class *refused item*).
        case refused

        /// It can't be taken, because there is no such record (R8).
        case refusedAsMissing

        /// The request with it was refused as a whole, for whoever sent it: whether it was taken before was not looked at. What is
        /// too large, or otherwise refused for what it is, was so from the first.
        case refusedUnread

        /// The refusal of a request with one edit, to that edit.
        @inlinable public init(refusedWhole blame: FailureBlame) {
            self =
                switch blame {
                case .sender: .refusedUnread
                case .unknown, .server, .answerSize: .refused
                }
        }
    }

    /// Two sides that differ, and what they grew from.
    public struct Conflict: Hashable, Sendable {
        /// Which sides did what.
        public var kind: ConflictKind

        /// What both sides started from; nil for create/create.
        public var base: Content?

        /// What the server has.
        public var server: ServerState

        /// What the client has; nil when it was deleted here.
        public var client: Content?

        /// Makes a question, as a test of a tactic does.
        @inlinable public init(kind: ConflictKind, base: Content?, server: ServerState, client: Content?) {
            self.kind = kind
            self.base = base
            self.server = server
            self.client = client
        }
    }

    /// What decides a conflict.
    public enum Verdict: Hashable, Sendable {
        /// The server's side stands; what was changed here is given up.
        case server

        /// The client's side stands; it goes over the server's.
        case client

        /// This stands: a merge of both.
        case content(Content)

        /// A person has to decide.
        case ask
    }

    /// One transition, and what it leads to.
    public struct Step: Hashable, Sendable {
        /// What the input amounted to.
        public var event: RecordEvent

        /// The phase before.
        public var source: RecordPhase

        /// The phase after.
        public var target: RecordPhase

        /// What to do, now.
        public var actions: RecordActions

        /// What has to be received next, in the same transaction; nil when this was all.
        public var next: Input?

        @inlinable init(
            event: RecordEvent, source: RecordPhase, target: RecordPhase, actions: RecordActions, next: Input?
        ) {
            self.event = event
            self.source = source
            self.target = target
            self.actions = actions
            self.next = next
        }
    }
}

/// Which sides did what (SPEC §4).
public enum ConflictKind: String, CaseIterable, Hashable, Sendable {
    /// Both changed the record.
    case editEdit = "edit/edit"

    /// Changed here, deleted there.
    case editDelete = "edit/delete"

    /// Deleted here, changed there.
    case deleteEdit = "delete/edit"

    /// Made on both sides under one pk.
    case createCreate = "create/create"
}

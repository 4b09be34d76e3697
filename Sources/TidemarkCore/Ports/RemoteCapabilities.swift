public import TidemarkJSON
package import TidemarkRules

/// What a server can be trusted with, as far as a promise depends on it (SPEC §12).
///
/// A ``Remote`` says it as a value, and from that follows which promises are kept: ``promises``. Say less than is true rather
/// than more: what is declared and not so is lost without a word.
///
/// ```swift
/// var capabilities = RemoteCapabilities.native
/// capabilities.repetition = .recognised            // the server does not know request ids
/// capabilities.batchSize = 25
/// print(capabilities.promises[.i11] ?? .kept)      // not kept, and why
/// ```
public struct RemoteCapabilities: Hashable, Sendable {
    /// What the condition of a write is worth.
    public enum Condition: Hashable, Sendable {
        /// It is checked and the row written as one: of two writers with one version, one is refused.
        case atomic

        /// It is checked, then the row is written: within so long after an answer, a write that was checked before may overwrite
        /// what was acknowledged. So long it is watched: where what was there before comes back, the edit is put back, and
        /// journalled (``JournalEntry/Reason/overwritten``). Name twice what was measured.
        ///
        /// What a device deleted is not watched: a record that a late write brings back is taken for someone's.
        case checkedFirst(watch: Duration)

        /// There is none.
        case none
    }

    /// What becomes of an edit that comes twice.
    public enum Repetition: Hashable, Sendable {
        /// The server answers it as it did before (W4).
        case answeredAgain

        /// The server does not know it again; the client recognises its own write by the content (R18).
        case recognised
    }

    /// How rows come.
    public enum Feed: Hashable, Sendable {
        /// In the order of their commits (W3).
        case ordered

        /// A row may become visible so long after its version; the remote reads so much again.
        case late(Duration)

        /// Everything, each time (``ExchangeAnswer/beginsListing``).
        case listing
    }

    /// How long the server knows what was deleted.
    public enum Tombstones: Hashable, Sendable {
        /// For ever.
        case forever

        /// For so long; a reader who was away longer is told so (W8). Where it is not, the engine begins a listing by itself once
        /// the last one is that old: a remote answers a request without a watermark from the start.
        case kept(Duration, isSignalled: Bool)

        /// Not at all.
        case none
    }

    /// Who names records.
    public enum Names: Hashable, Sendable {
        /// The client: pk is the name, or a member that the client chooses.
        case client

        /// The server; and a member of the record, which the client writes, has the pk. A remote finds a record that it made by
        /// that member, and the server's name of each in ``UploadRequest/name``. The member is shown, and no edit changes it.
        case member(JSONPointer)

        /// The server: a create that is sent twice may be two records.
        case server
    }

    /// What becomes of values.
    public enum Values: Hashable, Sendable {
        /// They come back as they were sent, spelling included.
        case exact

        /// They come back equal. What does not is journalled (``JournalEntry/Reason/altered``).
        case byValue

        /// Some are changed, as numbers are that go through a double. What was sent is journalled then
        /// (``JournalEntry/Reason/altered``), and what the server shows is taken in.
        case rounded
    }

    /// What the condition of a write is worth.
    public var condition: Condition

    /// What becomes of an edit that comes twice.
    public var repetition: Repetition

    /// How rows come.
    public var feed: Feed

    /// How long the server knows what was deleted.
    public var tombstones: Tombstones

    /// Who names records.
    public var names: Names

    /// What becomes of values.
    public var values: Values

    /// Whether the server refuses a request whose ``ExchangeRequest/seen`` it has not handed out in the history that it has (W8).
    ///
    /// It has to recognize a token of any age. If it forgets old tokens, that is false: a token that was forgotten and one that was
    /// lost with a backup look the same then.
    public var judgesSeen: Bool

    /// The server's own members of a record, such as its id and its times: kept and shown, never compared, never sent. The
    /// rules of fields are not asked about them, and an edit of one by the app is none. Declare all of them where a row is
    /// taken as the record: one that is missing here clashes with itself, or is sent back.
    public var serverMembers: [JSONPointer]

    /// Members of a record that only travel, such as `_attachments` of CouchDB: as ``serverMembers``, but a whole record that is
    /// sent has them as the server sent them.
    public var carriedMembers: [JSONPointer]

    /// How many edits it takes at a time; nil for as many as the client's limits allow.
    public var batchSize: Int?

    /// Names what a server can be trusted with.
    public init(
        condition: Condition, repetition: Repetition, feed: Feed, tombstones: Tombstones, names: Names, values: Values,
        judgesSeen: Bool = false, serverMembers: [JSONPointer] = [], carriedMembers: [JSONPointer] = [],
        batchSize: Int? = nil
    ) {
        self.condition = condition
        self.repetition = repetition
        self.feed = feed
        self.tombstones = tombstones
        self.names = names
        self.values = values
        self.judgesSeen = judgesSeen
        self.serverMembers = serverMembers
        self.carriedMembers = carriedMembers
        self.batchSize = batchSize
    }

    /// The members of a record that are not the app's.
    package var members: RecordMembers {
        let pk: JSONPointer? =
            switch self.names {
            case .member(let member): member
            case .client, .server: nil
            }
        return RecordMembers(server: self.serverMembers, carried: self.carriedMembers, pk: pk)
    }

    /// A server that keeps the rules W1 to W10 of SPEC §5.
    public static let native = RemoteCapabilities(
        condition: .atomic, repetition: .answeredAgain, feed: .ordered,
        tombstones: .kept(.seconds(90 * 86_400), isSignalled: true), names: .client, values: .exact,
        judgesSeen: true)
}

public import TidemarkJSON
package import TidemarkRules

/// The properties of a server on which the guarantees depend (Contract §12).
///
/// A ``Remote`` declares them as a value, and the guarantees follow from them: ``guarantees``. If a property is uncertain,
/// declare the weaker value: a property that is declared and not true loses data silently.
///
/// ```swift
/// var capabilities = RemoteCapabilities.native
/// capabilities.repetition = .recognized            // the server does not know request ids
/// capabilities.batchSize = 25
/// print(capabilities.guarantees[.noOrphans] ?? .kept)      // not kept, and why
/// ```
public struct RemoteCapabilities: Hashable, Sendable {
    /// How the server checks the condition of a write.
    public enum Condition: Hashable, Sendable {
        /// The check and the write are one atomic step: of two writers with the same version, one is refused.
        case atomic

        /// The version is checked, then the row is written: for a duration after an answer, a write that was checked before may
        /// overwrite an acknowledged one. The client watches its writes for that duration: if the value from before the edit
        /// returns, the edit is sent again, and journalled (``JournalEntry/Reason/overwritten``). Declare twice the delay that
        /// you measured; with zero no write is watched.
        ///
        /// A delete is not watched: a record that a late write creates again counts as another client's.
        case checkedFirst(watch: Duration)

        /// The server does not check a condition.
        case none
    }

    /// The server's answer to an edit that arrives twice.
    public enum Repetition: Hashable, Sendable {
        /// The server returns the same answer as before (W4).
        case answeredAgain

        /// The server does not recognize the edit; the client recognizes its own write by the content (R18).
        case recognized
    }

    /// The order of the rows in the feed.
    public enum Feed: Hashable, Sendable {
        /// In the order of their commits (W3).
        case ordered

        /// A row may become visible up to this duration after its version; the remote reads the rows of this duration again.
        case late(Duration)

        /// The whole collection each time (``ExchangeAnswer/beginsResync``).
        case listing
    }

    /// How long the server reports deletions.
    public enum Tombstones: Hashable, Sendable {
        /// Indefinitely.
        case forever

        /// For this duration. If `isSignalled`, the server refuses the cursor of a client that was away longer (W8). Otherwise
        /// the engine begins a full resync when the last full resync is older: the remote answers a request without a cursor with
        /// the feed from its start.
        case kept(Duration, isSignalled: Bool)

        /// The server does not report deletions.
        case none
    }

    /// How records get their names.
    public enum Names: Hashable, Sendable {
        /// The client names them: pk is the name, or a member that the client chooses.
        case client

        /// The server names them, and the client writes the pk into this member of the record. By the member a remote finds a
        /// record that it has created. ``UploadRequest/name`` has the server's name of a record. The app sees the member, and
        /// no edit changes it. A row with the name of a record and another text in the member is never that record (Contract §12).
        case member(JSONPointer)

        /// The server names them: a create that is sent twice may make two records.
        case server
    }

    /// How exactly the server returns values.
    public enum Values: Hashable, Sendable {
        /// Byte for byte as they were sent.
        case exact

        /// Equal by value. A value that is not equal is journalled (``JournalEntry/Reason/altered``).
        case byValue

        /// Some values change, for example numbers that are stored as a double. The sent value is journalled then
        /// (``JournalEntry/Reason/altered``), and the server's value is applied.
        case rounded
    }

    /// How the server checks the condition of a write.
    public var condition: Condition

    /// The server's answer to an edit that arrives twice.
    public var repetition: Repetition

    /// The order of the rows in the feed.
    public var feed: Feed

    /// How long the server reports deletions.
    public var tombstones: Tombstones

    /// How records get their names.
    public var names: Names

    /// How exactly the server returns values.
    public var values: Values

    /// Whether the server refuses a request whose ``ExchangeRequest/seen`` it has not issued in its present history (W8).
    ///
    /// It has to recognize a cursor of any age. Declare false if it forgets old cursors: it can't distinguish a forgotten
    /// cursor from one that was lost with a backup.
    public var judgesSeen: Bool

    /// The server's own members of a record, such as its id and its times: stored and visible, but never compared and never
    /// sent. Field rules are not applied to them, and an app's edit of one is ignored. Declare all of them if a whole row is
    /// used as the record: a member that is missing here conflicts with itself, or is sent back.
    public var serverMembers: [JSONPointer]

    /// Members of a record that are only passed through, such as `_attachments` of CouchDB: like ``serverMembers``, but a whole
    /// record that is sent contains them as the server sent them.
    public var carriedMembers: [JSONPointer]

    /// The maximum number of edits in a request; nil for the client's limits.
    public var batchSize: Int?

    /// Makes a value.
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

    /// The members of a record that do not belong to the app.
    package var members: RecordMembers {
        let pk: JSONPointer? =
            switch self.names {
            case .member(let member): member
            case .client, .server: nil
            }
        return RecordMembers(server: self.serverMembers, carried: self.carriedMembers, pk: pk)
    }

    /// A server that keeps the rules W1 to W10 of Contract §5.
    public static let native = RemoteCapabilities(
        condition: .atomic, repetition: .answeredAgain, feed: .ordered,
        tombstones: .kept(.seconds(90 * 86_400), isSignalled: true), names: .client, values: .exact,
        judgesSeen: true)
}

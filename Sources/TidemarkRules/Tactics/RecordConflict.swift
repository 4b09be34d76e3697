public import TidemarkJSON
public import TidemarkMachine

/// Two sides of a record that differ: a tactic or the user decides about it.
///
/// A value, so that a tactic can be tested without a client:
///
/// ```swift
/// let conflict = RecordConflict(collection: "notes", pk: "42", base: ["n": 1], server: ["n": 2], client: ["n": 3])
/// #expect(AutoMerge().decide(conflict) == .merge(["n": 3]))
/// ```
///
/// Two conflicts are equal if their records, values and rounds are. The patches, the merge and the clashes follow from the values
/// and the rules, and are not compared (R22).
public struct RecordConflict: Hashable, Sendable {
    /// The collection of the record.
    public let collection: String

    /// The name of the record.
    public let pk: String

    /// Which sides did what.
    public let kind: ConflictKind

    /// The common base of both sides; nil for create/create.
    public let base: JSON?

    /// The server's side; nil when it was deleted there.
    public let server: JSON?

    /// The JSON text of the server's version; nil when there is no row. A decision is valid for this version only (R22).
    public let version: String?

    /// The client's side; nil when it was deleted here.
    public let client: JSON?

    /// How often the server has reported a conflict of this change, including this time (Contract §3.3).
    public let round: Int

    /// The conflict as the machine sees it: a decision is passed back with it, and only the machine decides whether it is still
    /// open (R22).
    package let question: RecordMachine.Conflict

    /// The merge of both sides.
    package let merge: RecordMerge

    /// Makes a conflict; the patches, the merge and the clashes follow from the three values.
    public init(
        collection: String, pk: String, base: JSON?, server: JSON?, version: String? = nil, client: JSON?,
        fields: FieldRules = FieldRules(), round: Int = 1
    ) {
        let state: RecordMachine.ServerState =
            switch (server, version) {
            case (.some(let server), _): .row(version: version ?? "null", RecordPayload(server))
            case (nil, .some(let version)): .tombstone(version: version)
            case (nil, nil): .nothing
            }
        let kind: ConflictKind =
            switch (base, server, client) {
            case (_, .some, nil): .deleteEdit
            case (_, nil, _): .editDelete
            case (nil, .some, .some): .createCreate
            case (.some, .some, .some): .editEdit
            }
        let question = RecordMachine.Conflict(
            kind: kind, base: base.map { RecordPayload($0) }, server: state, client: client.map { RecordPayload($0) })
        self.init(
            question, of: pk, in: collection, base: base, server: server, version: version, client: client,
            RecordMerge(base: base, server: server, client: client, JSONChanges(fields: fields)), round)
    }

    /// Makes the open conflict of a record.
    ///
    /// - Parameter merge: The merge of both sides, if it was made already.
    package init(
        _ question: RecordMachine.Conflict, of pk: String, in collection: String, _ algebra: JSONChanges,
        round: Int, merge: RecordMerge? = nil
    ) throws(TidemarkError) {
        let (base, server) = (try question.base?.json(), try question.server.content?.json())
        let client = try question.client?.json()
        self.init(
            question, of: pk, in: collection, base: base, server: server, version: question.server.version,
            client: client, merge ?? RecordMerge(base: base, server: server, client: client, algebra), round)
    }

    private init(
        _ question: RecordMachine.Conflict, of pk: String, in collection: String, base: JSON?,
        server: JSON?, version: String?, client: JSON?, _ merge: RecordMerge, _ round: Int
    ) {
        self.question = question
        self.kind = question.kind
        self.collection = collection
        self.pk = pk
        self.base = base
        self.server = server
        self.version = version
        self.client = client
        self.round = round
        self.merge = merge
    }

    /// The server's changes since the base. They are found at each read.
    public var serverPatch: JSONPatch { JSONPatch.diff(from: self.merge.sides.base, to: self.merge.sides.server) }

    /// The client's changes since the base. They are found at each read.
    public var clientPatch: JSONPatch { JSONPatch.diff(from: self.merge.sides.base, to: self.merge.sides.client) }

    /// The paths where one side's value loses in the merge. If one side is a delete, ``merged`` is nil, and the whole record is the
    /// clash.
    public var clashes: [JSONMerge.Clash] { self.merge.result.clashes }

    /// Both sides, merged by the rules of the collection; nil when one of them is a delete.
    public var merged: JSON? { self.merge.merged }

    /// The clashes that the rules leave to the user.
    public var undecided: [JSONMerge.Clash] {
        self.clashes.filter { $0.winner == .undecided }
    }

    /// The clashes that the user is asked about: those that the rules leave open, or all of them if the rules decided each and
    /// the tactic asks nevertheless.
    public var asked: [JSONMerge.Clash] {
        let undecided = self.undecided
        return undecided.isEmpty ? self.clashes : undecided
    }
}

extension RecordConflict {
    /// Whether both are about the same record and the same values.
    public static func == (left: RecordConflict, right: RecordConflict) -> Bool {
        left.collection == right.collection && left.pk == right.pk && left.round == right.round
            && left.question == right.question
    }

    /// Feeds the record and the values.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.collection)
        hasher.combine(self.pk)
        hasher.combine(self.question)
    }
}

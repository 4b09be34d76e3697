/// What comes of a document that was changed on two sides (SPEC §4).
///
/// ```swift
/// let merge = JSONMerge.merge(
///     base: ["title": "Milk", "done": false],
///     server: ["title": "Milk", "done": true],
///     client: ["title": "Oat milk", "done": false])
/// merge.merged   // {"title":"Oat milk","done":true}
/// merge.patch    // [{"op":"replace","path":"/title","value":"Oat milk"}]
/// merge.clashes  // none
/// ```
///
/// Where no change met another, the merge of small documents holds all three in memory, and its paths are made when they
/// are asked for.
public struct JSONMerge: Sendable, Hashable {
    /// The merged document: exactly `patch` applied to the server's; nil when there is none.
    public var merged: JSON?

    /// What is left to send: the canonical patch from the server's document to the merged one.
    public var patch: JSONPatch

    /// Every path where one side's value lost, sorted by path.
    public var clashes: [Clash]

    /// The paths where the client's change stands, sorted; where both sides made the same change, too.
    public var clientPaths: [JSONPointer] {
        get { self.pathsOfClient.all }
        set { self.pathsOfClient = MergePaths(newValue) }
    }

    /// The paths where the server's change stands, sorted; where both sides made the same change, too.
    public var serverPaths: [JSONPointer] {
        get { self.pathsOfServer.all }
        set { self.pathsOfServer = MergePaths(newValue) }
    }

    /// The paths where a decision made a value of its own, sorted.
    public var decidedPaths: [JSONPointer] {
        get { self.pathsOfDecided.all }
        set { self.pathsOfDecided = MergePaths(newValue) }
    }

    private var pathsOfClient: MergePaths
    private var pathsOfServer: MergePaths
    private var pathsOfDecided: MergePaths

    /// What comes of a patch that is left to send.
    init(
        patch: JSONPatch, server: JSON?, clashes: [Clash], clientPaths: MergePaths, serverPaths: MergePaths,
        decidedPaths: MergePaths
    ) {
        self.merged = patch.grafted(onto: server)
        self.patch = patch
        self.clashes = clashes
        self.pathsOfClient = clientPaths
        self.pathsOfServer = serverPaths
        self.pathsOfDecided = decidedPaths
    }

    /// The clashes a person has to decide.
    public var undecided: [Clash] { self.clashes.filter { $0.winner == .undecided } }
}

extension JSONMerge {
    /// Merges what the server and the client made of the same base.
    ///
    /// Only a path that both sides changed can clash; everything else is taken from the side that changed it. Without
    /// a rule the client's value stands. An edit inside an object that the other side removed or replaced clashes on
    /// the object. Where both add an object at a path the base lacks, the empty object stands in for the base; a base
    /// of nil is thus create/create. Arrays are one value. What both changed to the same value is no clash (SPEC R12).
    ///
    /// - Parameters:
    ///   - base: what both sides started from, nil if there was no record.
    ///   - server: the server's document, nil if it was deleted there.
    ///   - client: the client's document, nil if it was deleted here.
    ///   - rule: the decision for the field at a pointer, or nil to go on inside of it. It is asked for a field only
    ///     where both sides changed something at or below it, from the root down; the first that gives a decision
    ///     takes the field as one value. It may be asked for the same field more than once.
    ///   - sums: whether equal changes of the field at a pointer, which has a rule, are two changes all the same, as
    ///     the differences of a counter are (SPEC R12). Elsewhere no decision is asked about equal values.
    public static func merge(
        base: JSON?, server: JSON?, client: JSON?,
        rule: (JSONPointer) -> FieldDecision? = { _ in nil },
        sums: (JSONPointer) -> Bool = { _ in false }
    ) -> JSONMerge {
        let sides = MergeSides(base: base, server: server, client: client, at: .root)
        if sides.areApart(rule) {
            // The server has what the base has, so that what was done to the base is done to it.
            return JSONMerge(
                patch: JSONPatch(sides.ours), server: server, clashes: [], clientPaths: .ofClient(sides),
                serverPaths: .ofServer(sides), decidedPaths: MergePaths([]))
        }
        // The walk keeps both only while it runs, which the compiler can't see.
        return withoutActuallyEscaping(rule) { rule in
            withoutActuallyEscaping(sums) { sums in
                var walk = MergeWalk(rule: rule, sums: sums)
                walk.visit(MergeNode(sides))
                return walk.result(over: server)
            }
        }
    }
}

extension JSONPatch {
    /// This patch of `base`, carried over to what the server made of `base`: `patch` of the merge is what is left of it.
    ///
    /// - Throws: `JSONError` if this patch does not apply to `base`.
    public func rebased(
        from base: JSON?, onto server: JSON?,
        rule: (JSONPointer) -> JSONMerge.FieldDecision? = { _ in nil },
        sums: (JSONPointer) -> Bool = { _ in false }
    ) throws(JSONError) -> JSONMerge {
        .merge(base: base, server: server, client: try self.apply(to: base), rule: rule, sums: sums)
    }
}

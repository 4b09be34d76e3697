/// The result of a three-way merge of a document (Contract §4).
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
/// If no change met another, the merge of small documents keeps all three documents in memory, and makes its paths when they
/// are first used.
public struct JSONMerge: Sendable, Hashable {
    /// The merged document: exactly `patch` applied to the server's; nil if there is no document.
    public var merged: JSON?

    /// The patch that is left to send: the canonical patch from the server's document to the merged one.
    public var patch: JSONPatch

    /// Every path where one side's value lost, sorted by path.
    public var clashes: [Clash]

    /// The paths where the client's change wins, sorted; also those where both sides made the same change. The list is made at each
    /// access: keep it in a variable.
    public var clientPaths: [JSONPointer] {
        get { self.pathsOfClient.all }
        set { self.pathsOfClient = MergePaths(newValue) }
    }

    /// The paths where the server's change wins, sorted; also those where both sides made the same change.
    public var serverPaths: [JSONPointer] {
        get { self.pathsOfServer.all }
        set { self.pathsOfServer = MergePaths(newValue) }
    }

    /// The paths where a decision made another value, sorted.
    public var decidedPaths: [JSONPointer] {
        get { self.pathsOfDecided.all }
        set { self.pathsOfDecided = MergePaths(newValue) }
    }

    private var pathsOfClient: MergePaths
    private var pathsOfServer: MergePaths
    private var pathsOfDecided: MergePaths

    /// Makes the result from the patch that is left to send.
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

    /// The clashes that the user has to decide.
    public var undecided: [Clash] { self.clashes.filter { $0.winner == .undecided } }
}

extension JSONMerge {
    /// Merges the server's and the client's document, which have the same base.
    ///
    /// Only a path that both sides changed can clash; any other change is applied. Without a rule the client's value wins.
    /// An edit inside an object that the other side removed or replaced clashes on the object. If both sides add an object
    /// at a path that the base lacks, the empty object is used as the base; a base of nil is thus create/create. Arrays are
    /// one value, and so is an object with one member, if a side put an object with another single member in its place, as an
    /// enum with a payload does when its case changes. A field that both sides changed to the same value is not a clash (R12).
    ///
    /// - Parameters:
    ///   - base: the common base, nil if there was no record.
    ///   - server: the server's document, nil if it was deleted there.
    ///   - client: the client's document, nil if it was deleted here.
    ///   - rule: the decision for the field at a pointer, or nil to continue inside it. It is called for a field only
    ///     if both sides changed something at or below it, from the root down; the first one that returns a decision
    ///     treats the field as one value. It may be called for the same field more than once.
    ///   - sums: whether equal changes of the field at a pointer, which has a rule, are two changes, as
    ///     the differences of a counter are (R12). For any other field no decision is called for equal values.
    public static func merge(
        base: JSON?, server: JSON?, client: JSON?,
        rule: (JSONPointer) -> FieldDecision? = { _ in nil },
        sums: (JSONPointer) -> Bool = { _ in false }
    ) -> JSONMerge {
        self.merge(base: base, server: server, client: client, isDictionary: false, rule: rule, sums: sums)
    }

    /// Merges two dictionaries: as the other `merge`, but the root is never one value.
    package static func merge(
        dictionaries base: JSON, server: JSON, client: JSON, rule: (JSONPointer) -> FieldDecision?,
        sums: (JSONPointer) -> Bool
    ) -> JSONMerge {
        self.merge(base: base, server: server, client: client, isDictionary: true, rule: rule, sums: sums)
    }

    private static func merge(
        base: JSON?, server: JSON?, client: JSON?, isDictionary: Bool, rule: (JSONPointer) -> FieldDecision?,
        sums: (JSONPointer) -> Bool
    ) -> JSONMerge {
        let sides = MergeChanges(base: base, server: server, client: client, at: .root)
        if sides.areApart(rule) {
            // The server's values are equal to the base here, so the client's changes apply to them.
            return JSONMerge(
                patch: JSONPatch(sides.ours), server: server, clashes: [], clientPaths: .ofClient(sides),
                serverPaths: .ofServer(sides), decidedPaths: MergePaths([]))
        }
        // The walk keeps both only while it runs, which the compiler can't see.
        return withoutActuallyEscaping(rule) { rule in
            withoutActuallyEscaping(sums) { sums in
                var walk = MergeWalk(rule: rule, sums: sums, isDictionary: isDictionary)
                walk.visit(MergeNode(sides))
                return walk.result(over: server)
            }
        }
    }
}

extension JSONPatch {
    /// This patch of `base`, rebased onto the server's version of `base`: `patch` of the merge is the part that is left.
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

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
public struct JSONMerge: Sendable, Hashable {
    /// The merged document: exactly `patch` applied to the server's; nil when there is none.
    public var merged: JSON?

    /// What is left to send: the canonical patch from the server's document to the merged one.
    public var patch: JSONPatch

    /// Every path where one side's value lost, sorted by path.
    public var clashes: [JSONClash]

    /// The paths where the client's change stands, sorted; where both sides made the same change, too.
    public var clientPaths: [JSONPointer]

    /// The paths where the server's change stands, sorted; where both sides made the same change, too.
    public var serverPaths: [JSONPointer]

    /// The paths where a decision made a value of its own, sorted.
    public var decidedPaths: [JSONPointer]

    /// The clashes a person has to decide.
    public var undecided: [JSONClash] { self.clashes.filter { $0.winner == .undecided } }
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
    ///     takes the field as one value.
    ///   - sums: whether equal changes of the field at a pointer, which has a rule, are two changes all the same, as
    ///     the differences of a counter are (SPEC R12). Elsewhere no decision is asked about equal values.
    public static func merge(
        base: JSON?, server: JSON?, client: JSON?,
        rule: (JSONPointer) -> FieldDecision? = { _ in nil },
        sums: (JSONPointer) -> Bool = { _ in false }
    ) -> JSONMerge {
        // The walk keeps both only while it runs, which the compiler can't see.
        withoutActuallyEscaping(rule) { rule in
            withoutActuallyEscaping(sums) { sums in
                var walk = MergeWalk(rule: rule, sums: sums)
                walk.visit(MergeNode(base: base, server: server, client: client))
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
        rule: (JSONPointer) -> FieldDecision? = { _ in nil },
        sums: (JSONPointer) -> Bool = { _ in false }
    ) throws(JSONError) -> JSONMerge {
        .merge(base: base, server: server, client: try self.apply(to: base), rule: rule, sums: sums)
    }
}

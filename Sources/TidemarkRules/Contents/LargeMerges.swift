import Synchronization
import TidemarkJSON

/// The large merges that one input needs, made before the input is carried out (Contract §9).
///
/// An input is one transaction on the client's executor, where a merge of a long text or a long list would keep every other call
/// of the app waiting for up to a second. So the client tries the input first. A large merge that was not made yet is noted, and a
/// stand-in takes its place; a transaction with a stand-in is rolled back at its end, and no tactic sees it. The client makes the
/// noted merges on another thread, and tries again:
///
/// 1. The answer shows a new row of a record with 1 MB of text, which was edited here. The merge is noted, nothing is saved.
/// 2. The merge is made on another thread. Meanwhile the app reads, and edits the same record.
/// 3. The second try meets the edit: the values to merge differ from the noted ones, so this merge is noted, too.
/// 4. The third try finds its merge, and is committed.
///
/// A merge depends on nothing but the rules and its three values, so it can't be outdated: it is found by these values, or it is
/// not used. After ``tries``, and beyond ``bytes``, the input makes the missing merges by itself, so that an app that edits without a
/// pause can't hold up a sync, and the memory does not grow with the number of conflicts.
package final class LargeMerges: Sendable {
    /// How often an input is tried before it makes its merges by itself.
    package static let tries = 4

    /// How many bytes the records of the merges have together, about, before the last one.
    package static let bytes = 33_554_432

    /// The length of a record, in bytes, from which on a merge is large.
    package static let length = 65_536

    private struct Key: Hashable {
        var lengths: [Int]
        var sides: JSONMerge.Sides
        var isKeepingClient: Bool

        /// A hash of the values would read all of them on the client's executor.
        func hash(into hasher: inout Hasher) { hasher.combine(self.lengths) }
    }

    private struct State {
        var known: [Key: JSONMerge] = [:]
        var missing: [Key] = []
        var length = 0
        var tries = 0
    }

    private let fields: FieldRules
    private let length: Int
    private let bytes: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - length: The length of a record from which on a merge is large.
    ///   - bytes: How many bytes the records have together; one more merge is made.
    package init(_ fields: FieldRules, length: Int = LargeMerges.length, bytes: Int = LargeMerges.bytes) {
        self.fields = fields
        self.length = length
        self.bytes = bytes
    }

    /// Whether the input has used a stand-in, so that nothing of it will be kept.
    package var isAnyMissing: Bool { self.state.withLock { !$0.missing.isEmpty } }

    /// Checks at the end of an input that it used no stand-in, since otherwise nothing of it may be kept.
    ///
    /// - Throws: ``TidemarkError/Code/mergesMissing``.
    package func check() throws(TidemarkError) {
        guard self.isAnyMissing else { return }
        throw TidemarkError(.mergesMissing, "Large merges of this input have to be made before it.")
    }

    /// Makes the missing merges.
    package func makeMissing() {
        let missing = self.state.withLock { state in
            state.tries += 1
            defer { state.missing = [] }
            return state.missing
        }
        for key in missing {
            let merge = self.fields.merge(key.sides, isKeepingClient: key.isKeepingClient)
            self.state.withLock { $0.known[key] = merge }
        }
    }

    /// Returns a merge: at once if it is not large; otherwise the one that was made, or a stand-in.
    func merge(_ sides: JSONMerge.Sides, isKeepingClient: Bool) -> JSONMerge {
        func merged() -> JSONMerge { self.fields.merge(sides, isKeepingClient: isKeepingClient) }
        let lengths = [sides.base, sides.server, sides.client].map { $0?.length(upTo: self.bytes) ?? 0 }
        // A deletion is no work.
        guard lengths.contains(where: { $0 > self.length }), sides.server != nil, sides.client != nil else {
            return merged()
        }
        let key = Key(lengths: lengths, sides: sides, isKeepingClient: isKeepingClient)
        let (known, isLast) = self.state.withLock { state in
            let isLast = state.tries >= Self.tries || state.length > self.bytes
            if state.known[key] == nil, !isLast {
                state.missing.append(key)
                state.length += lengths.reduce(0, +)
            }
            return (state.known[key], isLast)
        }
        return known ?? (isLast ? merged() : FieldRules().merge(base: nil, server: sides.client, client: sides.client))
    }
}

extension TidemarkError.Code {
    /// An input needs large merges that were not made yet. It does not reach an app.
    package static let mergesMissing = TidemarkError.Code("mergesMissing")
}

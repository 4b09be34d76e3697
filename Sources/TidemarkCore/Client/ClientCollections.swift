import Synchronization
import TidemarkJSON
import TidemarkRules

/// The collections that a client syncs in addition to those in its store: the collections that were named when it was made, or
/// else each collection that the app has used since then. They are not stored.
///
/// It is not part of the client's actor, so that a collection can be observed without waiting for the actor.
final class ClientCollections: Sendable {
    private struct State {
        var names: Set<CodePointString>

        /// The collections that the app has removed from the device. A view that still shows one does not add it again.
        var forgotten: Set<CodePointString> = []

        /// Receives each new collection for the run loop; nil while no run loop runs.
        var mailbox: RunMailbox?
    }

    /// The names that were given when the client was made; nil if none were given.
    private let declared: [String]?
    let limits: SyncLimits
    private let state: Mutex<State>

    /// - Parameters:
    ///   - declared: The only collections that may be used; nil for any.
    ///   - configuration: It may have rules for these collections only.
    init(_ declared: [String]?, _ configuration: SyncConfiguration) throws(TidemarkError) {
        self.declared = declared
        self.limits = configuration.limits
        self.state = Mutex(State(names: Set((declared ?? []).map { CodePointString($0) })))
        for name in declared ?? [] { try self.limits.check(name, as: "the name of a collection") }
        for (name, rules) in configuration.collections.sorted(by: { $0.key < $1.key }) {
            try self.check(name)
            for target in rules.references.values.sorted() { try self.check(CodePointString(target)) }
        }
    }

    var names: Set<CodePointString> { self.state.withLock(\.names) }

    /// Records that the app uses a collection: from now on it is synced with the others.
    ///
    /// - Parameter isNew: Whether the app begins to observe it: then it no longer counts as forgotten.
    /// - Throws: ``TidemarkError/Code/unknownCollection`` and ``TidemarkError/Code/invalidName``.
    func use(_ collection: String, isNew: Bool = false) throws(TidemarkError) {
        try self.limits.check(collection, as: "the name of a collection")
        let name = CodePointString(collection)
        try self.check(name)
        self.state.withLock { state in
            if isNew { state.forgotten.remove(name) }
            guard !state.forgotten.contains(name), state.names.insert(name).inserted else { return }
            state.mailbox?.put(.named(name))
        }
    }

    /// Records that a collection was removed from the device. It is synced again when it is observed anew, and when it is
    /// written to or synced by name, because the store holds it then. A collection that was named when the client was made
    /// stays one of the client's.
    func forget(_ name: CodePointString) {
        guard self.declared == nil else { return }
        self.state.withLock { state in
            state.names.remove(name)
            state.forgotten.insert(name)
        }
    }

    /// Sends each new collection to this mailbox of the run loop from now on; nil when the run loop has ended.
    func tell(_ mailbox: RunMailbox?) { self.state.withLock { $0.mailbox = mailbox } }

    /// Those of some collections that may be used.
    func usable(_ names: [String]) -> [String] {
        names.filter { (try? self.check(CodePointString($0))) != nil }
    }

    private func check(_ name: CodePointString) throws(TidemarkError) {
        guard let declared, !declared.contains(where: { CodePointString($0) == name }) else { return }
        let hint = NearestName.of(name.value, among: declared).map { "did you mean \($0)?" }
        let known = declared.isEmpty ? "none is named there." : "named there: \(declared.joined(separator: ", "))."
        throw TidemarkError(
            .unknownCollection,
            """
            The collection “\(name.value)” is not in `collections:` of this client; \(hint ?? known) To use “\(name.value)”, \
            add it there.
            """)
    }
}

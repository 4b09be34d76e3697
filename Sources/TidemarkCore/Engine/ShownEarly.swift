import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Rows that came while the watermark had to stay where it was (I6), so that the feed still has to show them.
///
/// A server that is put back to an earlier state is known by the watermark (W8), and one from before those rows is good there as
/// well. What shows it then is that the feed comes to its end, and one of them was not in it.
struct ShownEarly {
    let turn: Turn

    /// More than these are not kept in mind: one is enough to show what a server lost.
    private static let names = 1_000

    private var key: String { "shown-early/\(self.turn.collection)" }

    private func pks() throws(TidemarkError) -> [CodePointString] {
        guard let text = try self.turn.store.setting(self.key), let names = try? JSON(parsing: text).array else {
            return []
        }
        return names.compactMap { $0.string.map { CodePointString($0) } }
    }

    private func set(_ pks: [CodePointString]) throws(TidemarkError) {
        let names = pks.prefix(Self.names).map { JSON.string(JSONString($0.value)) }
        try self.turn.store.set(self.key, to: names.isEmpty ? nil : JSON.array(names).text)
    }

    /// An answer showed rows as results, or in its page, and the watermark stays before them.
    func note(_ results: [TakenRow], _ page: FeedPage) throws(TidemarkError) {
        let showsDeletions = self.showsDeletions
        let shown =
            results.lazy.filter { $0.kind == .record || $0.kind == .deletion && showsDeletions }.map(\.pk)
            + page.rows.lazy.filter { !$0.isTombstone || showsDeletions }.map { CodePointString(page.pk(of: $0)) }
        // Where rows become visible late, or everything is listed each time, the feed's order says nothing.
        guard case .ordered = self.turn.capabilities.feed, case .client = self.turn.capabilities.names, !shown.isEmpty
        else { return }
        let former = try self.pks()
        let known = Set(former)
        try self.set(former + shown.filter { !known.contains($0) })
    }

    /// Whether the feed is sure to show what was deleted after the watermark, or says that it no longer can (W7, W8).
    private var showsDeletions: Bool {
        switch self.turn.capabilities.tombstones {
        case .forever, .kept(_, isSignalled: true): true
        case .kept, .none: false
        }
    }

    /// The watermark moves past what an answer brought, as results or as rows.
    func pass(_ results: [TakenRow], _ page: FeedPage) throws(TidemarkError) {
        let early = try self.pks()
        guard !early.isEmpty else { return }
        let brought = Set(results.map(\.pk) + page.rows.map { CodePointString(page.pk(of: $0)) })
        try self.set(early.filter { !brought.contains($0) })
    }

    /// The feed came to its end: what it did not bring, the server has lost.
    func loss() throws(TidemarkError) -> RemoteFailure? {
        guard let first = try self.pks().first else { return nil }
        return RemoteFailure(
            .historyLost,
            "The server has lost “\(first.value)” of \(self.turn.collection), which it had acknowledged.",
            serverWentBack: true)
    }

    /// A listing of everything begins, which shows all that there is; or the collection is forgotten.
    func forget() throws(TidemarkError) {
        guard try self.turn.store.setting(self.key) != nil else { return }
        try self.turn.store.set(self.key, to: nil)
    }
}

/// A row that came as a result, and was taken in.
struct TakenRow {
    /// What it says.
    enum Kind {
        case record
        /// The record that was here is deleted.
        case deletion
        /// What was not here is not there either. The feed may have told that before (R18).
        case nothing
    }

    let pk: CodePointString
    let kind: Kind
}

import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Rows that came while the watermark had to stay where it was (I6), so that the feed still has to show them.
///
/// A server that is put back to an earlier state is known by the watermark (W8), and one from before those rows is good there as
/// well. What shows it then is that the feed comes to its end, and one of them was not in it; or, where another device has
/// written it anew, that the server refuses the watermark that came with them, from which it is asked last. Until then what
/// the feed shows in their place is kept aside, so that what was lost is still here to be journalled (I1). Where they came with
/// no watermark, before a failure, nothing can be asked, and what another device has written anew is taken in.
struct ShownEarly {
    let turn: Turn

    /// More than these are not kept in mind. Results come first, and they are what this device was told of its own changes.
    private static let names = 1_000

    /// No more bytes of rows wait than these. Beyond it they are taken in at once, though what they take the place of may be lost.
    private static let bytes = 4 << 20

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

    /// What an answer shows ahead of the watermark, where that is not moved to the answer's.
    ///
    /// - Parameters:
    ///   - results: What was taken in as results.
    ///   - page: What was taken in as rows.
    ///   - former: The watermark of the request.
    ///   - watermark: That of the answer; nil where it has none.
    func ahead(
        _ results: [TakenRow], _ page: FeedPage, of former: CodePointString?, to watermark: CodePointString?
    ) -> RowsAhead {
        guard self.canTell, watermark == nil || watermark != former else { return RowsAhead() }
        let showsDeletions = self.showsDeletions
        let shown =
            results.filter { $0.kind == .record || $0.kind == .deletion && showsDeletions }.map(\.pk)
            + page.rows.filter { !$0.isTombstone || showsDeletions }.map { CodePointString(page.pk(of: $0)) }
        return RowsAhead(
            awaited: shown,
            isAnything: !shown.isEmpty || !page.malformed.isEmpty
                || results.contains { $0.kind == .shownWithoutSense })
    }

    /// Rows were shown, and the watermark stays before them.
    func note(_ ahead: RowsAhead) throws(TidemarkError) {
        guard !ahead.awaited.isEmpty else { return }
        let former = try self.pks()
        let known = Set(former)
        try self.set(former + ahead.awaited.filter { !known.contains($0) })
    }

    /// Whether the feed can tell what became of them. Where rows become visible late, or everything is listed each time, its
    /// order says nothing.
    private var canTell: Bool {
        guard case .ordered = self.turn.capabilities.feed, case .client = self.turn.capabilities.names else {
            return false
        }
        return true
    }

    /// Whether the feed is sure to show what was deleted after the watermark, or says that it no longer can (W7, W8).
    private var showsDeletions: Bool {
        switch self.turn.capabilities.tombstones {
        case .forever, .kept(_, isSignalled: true): true
        case .kept, .none: false
        }
    }

    /// The watermark moves past what an answer brought, as results or as rows.
    func pass(_ results: [TakenRow], _ pages: [FeedPage]) throws(TidemarkError) {
        let early = try self.pks()
        guard !early.isEmpty else { return }
        let shown = pages.flatMap { page in
            page.rows.map { CodePointString(page.pk(of: $0)) } + page.malformed.map { CodePointString($0.pk) }
        }
        let brought = Set(results.map(\.pk) + shown)
        try self.set(early.filter { !brought.contains($0) })
    }

    /// The feed came to its end: what it did not bring, the server has lost; or it was deleted, where the feed need not show that.
    func loss() throws(TidemarkError) -> RemoteFailure? {
        guard self.showsDeletions else { return nil }
        let early = try self.pks()
        guard !early.isEmpty else { return nil }
        let waiting = Set(try self.aside().map(\.pk))
        guard let first = early.first(where: { !waiting.contains($0) }) else { return nil }
        return RemoteFailure(
            .historyLost,
            "The server has lost “\(first.value)” of \(self.turn.collection), which it had acknowledged.",
            serverWentBack: true)
    }

    /// A listing of everything begins, which shows all that there is; or the collection is forgotten.
    func forget() throws(TidemarkError) {
        for key in [self.key, self.asideKey] where try self.turn.store.setting(key) != nil {
            try self.turn.store.set(key, to: nil)
        }
    }
}

// MARK: - What stands in their place

extension ShownEarly {
    private var asideKey: String { "shown-instead/\(self.turn.collection)" }

    /// What of a page can be taken in. Rows in the place of one that was shown early wait until the server has said that it
    /// still knows the watermark of that answer; then the newest of each comes first.
    ///
    /// - Returns: The pages, how many rows of this one wait that did not wait before, and how many did.
    func release(
        _ page: FeedPage, isSure: Bool
    ) throws(TidemarkError) -> (pages: [FeedPage], waiting: Int, known: Int) {
        if !page.malformed.isEmpty { try self.dropWaiting(Set(page.malformed.map { CodePointString($0.pk) })) }
        if isSure {
            let released = try self.released()
            // Nothing more is waited for that the feed need not show.
            if !self.showsDeletions { try self.forget() }
            return (released + [page], 0, 0)
        }
        let early = Set(try self.pks())
        guard page.rows.contains(where: { early.contains(CodePointString(page.pk(of: $0))) }) else {
            return ([page], 0, 0)
        }
        var known = 0
        var aside = try self.aside()
        var size = aside.reduce(0) { $0 + $1.size }
        var rows: [FeedPage.Row] = []
        for row in page.rows {
            let pk = CodePointString(page.pk(of: row))
            let waiting = EarlyRow(pk: pk, version: page.version(of: row))
            var isKnown = false
            // What came of it before is older, or the same.
            if early.contains(pk), let former = aside.firstIndex(where: { $0.pk == pk }) {
                isKnown = aside[former].version == waiting.version
                size -= aside.remove(at: former).size
            }
            if early.contains(pk), size + waiting.size <= Self.bytes, try !self.isKnown(row, of: page) {
                aside.append(waiting)
                size += waiting.size
                if isKnown { known += 1 }
            } else {
                rows.append(row)
            }
        }
        try self.set(aside)
        let count = page.rows.count - rows.count
        return ([FeedPage(bytes: page.bytes, rows: rows, malformed: page.malformed)], count - known, known)
    }

    /// The feed shows newer versions of these, which make no sense: what waited of them is taken in no more.
    private func dropWaiting(_ pks: Set<CodePointString>) throws(TidemarkError) {
        let aside = try self.aside()
        guard aside.contains(where: { pks.contains($0.pk) }) else { return }
        try self.set(aside.filter { !pks.contains($0.pk) })
    }

    /// What waited, no more to be waited for.
    private func released() throws(TidemarkError) -> [FeedPage] {
        let aside = try self.aside()
        guard !aside.isEmpty else { return [] }
        try self.set([EarlyRow]())
        let page = FeedPage(early: aside)
        try self.pass([], [page])
        return [page]
    }

    private func isKnown(_ row: FeedPage.Row, of page: FeedPage) throws(TidemarkError) -> Bool {
        let known = try self.turn.store.record(page.pk(of: row), in: self.turn.collection)?.confirmed
        return known?.stamp == page.stamp(of: row) || row.isTombstone && known?.data == nil
    }

    private func set(_ aside: [EarlyRow]) throws(TidemarkError) {
        try self.turn.store.set(self.asideKey, to: aside.isEmpty ? nil : JSON.array(aside.map(\.json)).text)
    }

    private func aside() throws(TidemarkError) -> [EarlyRow] {
        guard let text = try self.turn.store.setting(self.asideKey), let rows = try? JSON(parsing: text).array else {
            return []
        }
        return rows.compactMap { EarlyRow($0) }
    }
}

/// A row of the feed that is kept aside.
private struct EarlyRow {
    let pk: CodePointString
    let version: StoredVersion

    var size: Int { self.pk.value.utf8.count + (self.version.data?.count ?? 0) }

    init(pk: CodePointString, version: StoredVersion) {
        self.pk = pk
        self.version = version
    }

    /// Reads what ``json`` has written.
    init?(_ json: JSON) {
        guard let members = json.array, members.count == 3, let pk = members[0].string, let stamp = members[1].string
        else { return nil }
        self.pk = CodePointString(pk)
        self.version = StoredVersion(stamp: stamp, data: members[2].string.map { Array($0.utf8) })
    }

    /// It as a text, bytes and all.
    var json: JSON {
        func text(_ text: String) -> JSON { .string(JSONString(text)) }
        return [
            text(self.pk.value), text(self.version.stamp ?? ""),
            self.version.data.map { text(String(decoding: $0, as: UTF8.self)) } ?? .null,
        ]
    }
}

extension FeedPage {
    /// A page of rows that were kept aside.
    fileprivate init(early rows: [EarlyRow]) {
        var bytes: [UInt8] = []
        func append(_ text: some Sequence<UInt8>) -> Range<Int> {
            let start = bytes.count
            bytes += text
            return start..<bytes.count
        }
        let places = rows.map { row in
            Row(
                pk: append(JSON.string(JSONString(row.pk.value)).text.utf8),
                stamp: append((row.version.stamp ?? "").utf8), data: append(row.version.data ?? []))
        }
        self.init(bytes: bytes, rows: places)
    }
}

/// What an answer shows ahead of the watermark.
struct RowsAhead {
    /// What the feed has to show again.
    var awaited: [CodePointString] = []

    /// Whether there is anything to be asked about.
    var isAnything = false
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
        /// What the feed has shown so that it made no sense, this version or an earlier one: it need not show it again.
        case shownWithoutSense
    }

    let pk: CodePointString
    let kind: Kind
}

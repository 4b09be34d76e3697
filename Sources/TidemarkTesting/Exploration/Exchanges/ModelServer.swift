import TidemarkCore
import TidemarkJSON
import TidemarkRules

/// A server in small, as a value: it keeps W1 to W9, and can be copied with the world that it is in.
///
/// Versions count from 1 and are never given out twice, not even by a history that began again.
struct ModelServer: Sendable {
    /// What it has under a pk: a row or a tombstone.
    struct Row: Hashable, Sendable {
        var version: Int
        var data: [UInt8]?

        var stored: StoredVersion { StoredVersion(stamp: String(self.version), data: self.data) }
    }

    /// What it answered to an edit (W4).
    struct Answered: Hashable, Sendable {
        var frozen: [UInt8]
        var outcome: UploadResult.Outcome
    }

    /// What a backup has.
    struct History: Sendable {
        var rows: [String: Row] = [:]
        /// The last version that is in it.
        var last = 0
        /// All versions that it has given out.
        var versions: Set<Int> = []
        /// Watermarks below this version are too old, unless no purge came after them (W8).
        var horizon = 0
        var purges = 0
        var answers: [String: Answered] = [:]
    }

    /// What another device has begun: its version is drawn, and no one can see it yet.
    struct Begun: Hashable, Sendable {
        var pk: String
        var row: Row
        /// What was there when it began: where that is there no more, it comes to nothing (W1).
        var base: Row?
        var isAddition: Bool
    }

    /// Where a reader stands (W8), as the server reads it.
    struct Watermark: Hashable, Sendable {
        var epoch: Int
        var position: Int
        /// The last version when it was given out; the position, at the end of the feed. Where rows become visible late: when
        /// the first page since the feed's end was.
        var newest: Int
        var purges: Int
        /// Whether it is amid the pages of a pull.
        var hasMore: Bool

        var text: String {
            "\(self.epoch).\(self.position).\(self.newest).\(self.purges).\(self.hasMore ? 1 : 0)"
        }

        init(epoch: Int, position: Int, newest: Int, purges: Int, hasMore: Bool = false) {
            self.epoch = epoch
            self.position = position
            self.newest = newest
            self.purges = purges
            self.hasMore = hasMore
        }

        init?(_ text: String) {
            let parts = text.split(separator: ".").compactMap { Int($0) }
            guard parts.count == 5 else { return nil }
            self.init(
                epoch: parts[0], position: parts[1], newest: parts[2], purges: parts[3], hasMore: parts[4] == 1)
        }
    }

    private(set) var history = History()
    private(set) var backup = History()
    private(set) var epoch = 1
    private var lastEver = 0

    /// A fault to plant.
    var fault: ExchangeWorld.Setting.ServerFault?

    /// How many versions may be drawn, at the most, before one that was drawn becomes visible; 1 where versions have the order
    /// of commits (W3).
    var lateness = 1
    private(set) var begun: Begun?

    // MARK: What becomes of it

    /// Makes a row or (nil) a tombstone, under the next version.
    mutating func write(_ data: [UInt8]?, at pk: String) {
        self.history.rows[pk] = Row(version: self.nextVersion(), data: data)
    }

    /// Draws a version for a row or (nil) a tombstone that becomes visible later.
    mutating func begin(_ data: [UInt8]?, at pk: String, isAddition: Bool) {
        let base = self.history.rows[pk]
        let row = Row(version: self.nextVersion(), data: data)
        self.begun = Begun(pk: pk, row: row, base: base, isAddition: isAddition)
    }

    /// What was begun becomes visible, unless someone else was faster.
    ///
    /// - Returns: What became visible.
    mutating func commit() -> Begun? {
        guard let begun else { return nil }
        self.begun = nil
        guard self.history.rows[begun.pk] == begun.base else { return nil }
        self.history.rows[begun.pk] = begun.row
        return begun
    }

    mutating func backUp() { self.backup = self.history }

    /// What it acknowledged since is lost, and so is what it remembers.
    mutating func goBack() { self.history = self.backup }

    mutating func beginAnew() {
        self.epoch += 1
        self.history = History()
    }

    /// Forgets tombstones; those of rows that no one here has are always among them.
    mutating func purge() {
        self.history.horizon = self.nextVersion()
        self.history.purges += 1
        self.history.rows = self.history.rows.filter { $0.value.data != nil }
    }

    private mutating func nextVersion() -> Int {
        self.lastEver += 1
        self.history.last = self.lastEver
        self.history.versions.insert(self.lastEver)
        // What takes too long is given up.
        if let begun, self.lastEver - begun.row.version >= self.lateness { self.begun = nil }
        return self.lastEver
    }

    // MARK: What it knows

    /// Where whoever has read everything stands.
    var end: Watermark {
        Watermark(
            epoch: self.epoch, position: self.history.last, newest: self.history.last, purges: self.history.purges)
    }

    /// Why a reader can't go on from here (W8).
    enum Loss {
        case horizon, wentBack
    }

    func loss(of watermark: Watermark) -> Loss? {
        let isOurs =
            watermark.epoch == self.epoch && watermark.purges <= self.history.purges
            && [watermark.position, watermark.newest].allSatisfy { $0 == 0 || self.history.versions.contains($0) }
        guard isOurs else { return .wentBack }
        return watermark.position >= self.history.horizon || watermark.purges == self.history.purges ? nil : .horizon
    }

    /// What it has under a pk.
    func version(of pk: String) -> StoredVersion { self.history.rows[pk]?.stored ?? StoredVersion() }

    // MARK: What it is asked

    /// Takes edits, and tells what became of each.
    ///
    /// - Parameter isDisliked: Whether it refuses an edit for its content.
    mutating func take(_ uploads: [UploadRequest], isDisliked: (UploadRequest) -> Bool) -> [UploadResult] {
        uploads.map { upload in
            UploadResult(requestID: upload.requestID, outcome: self.take(upload, isDisliked(upload)))
        }
    }

    private mutating func take(_ upload: UploadRequest, _ isDisliked: Bool) -> UploadResult.Outcome {
        if let known = self.history.answers[upload.requestID] { return known.outcome }
        let outcome = isDisliked ? .refused(Self.dislike) : self.decide(upload)
        if self.fault != .forgetsAnswers {
            self.history.answers[upload.requestID] = Answered(frozen: upload.frozen, outcome: outcome)
        }
        return outcome
    }

    private static let dislike = ProblemDetails(status: 422, title: "It is not liked", document: [:])

    /// W1, W2, W7, W9.
    private mutating func decide(_ upload: UploadRequest) -> UploadResult.Outcome {
        let row = self.history.rows[upload.pk]
        let isNamed = upload.version == row.map { String($0.version) } || self.fault == .ignoresVersions
        switch upload.intent {
        case .delete where row?.data == nil: return .accepted(self.version(of: upload.pk))
        case .create where isNamed: break
        case .edit where isNamed && row?.data != nil: break
        case .delete where isNamed: break
        case .create, .edit, .delete: return .conflicted(self.version(of: upload.pk))
        }
        let before = upload.intent == .create ? nil : row?.data.flatMap { try? JSON(parsing: $0) }
        guard let patch = upload.patch else {
            self.write(nil, at: upload.pk)
            return .accepted(self.version(of: upload.pk))
        }
        guard let after = try? patch.apply(to: before) else { return .refused(Self.dislike) }
        if row?.data == nil || after != before { self.write(after.bytes, at: upload.pk) }
        return .accepted(self.version(of: upload.pk))
    }

    /// The version up to which a reader has seen everything, whatever becomes visible yet: from there on it reads again.
    func sure(_ watermark: Watermark) -> Int {
        self.lateness > 1 ? max(0, watermark.newest - self.lateness) : watermark.position
    }

    /// Rows that are newer than a watermark, in the order of their versions: a page of them, and where it leads.
    ///
    /// - Parameter results: Rows that are in them at their present version need not come again (W6).
    func page(
        after watermark: Watermark?, limit: Int, besides results: [UploadResult]
    ) -> (items: [(pk: String, row: Row)], watermark: Watermark, hasMore: Bool) {
        let isFirst = watermark?.hasMore != true
        let overlaps = isFirst && self.fault != .readsNothingAgain
        let position = watermark.map { overlaps ? self.sure($0) : $0.position } ?? 0
        let shown = Set(results.compactMap(\.shownStamp))
        var newer = self.history.rows.filter {
            $0.value.version > position && !shown.contains(String($0.value.version))
        }
        .map { (pk: $0.key, row: $0.value) }.sorted { $0.row.version < $1.row.version }
        // A planted fault: the first row becomes visible after the watermark has passed it (W3).
        if self.fault == .showsLate, newer.count > 1 { newer.removeFirst() }
        let items = Array(newer.prefix(limit))
        let hasMore = newer.count > limit
        let last = hasMore ? items.last?.row.version ?? position : self.history.last
        let newest = isFirst || self.lateness == 1 ? self.history.last : watermark?.newest ?? last
        let next = Watermark(
            epoch: self.epoch, position: last, newest: newest, purges: self.history.purges, hasMore: hasMore)
        return (items, next, hasMore)
    }
}

extension UploadResult {
    /// The version that it shows; nil where it shows none.
    fileprivate var shownStamp: String? {
        switch self.outcome {
        case .accepted(let version), .conflicted(let version): version.stamp
        case .refused, .unknown: nil
        }
    }
}

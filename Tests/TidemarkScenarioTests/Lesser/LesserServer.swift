import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// A model of another vendor's server: it stores whole records with versions, and its quirks can be switched on.
///
/// It checks the versions of all writes first, and then writes; a test can act in between.
final class LesserServer {
    /// Differences from our server.
    struct Quirks: Hashable {
        /// The server adds name and version to each row, and takes over a version that a client sends.
        var addsMembers = false

        /// The server declares that it checks a version first, and then writes.
        var checksFirst = false

        /// The server stores the numbers of a record as doubles.
        var roundsNumbers = false

        /// The server forgets deletions on command, and does not signal it.
        var forgetsDeletions = false

        /// The server assigns the names of records; a deletion has only the name.
        var makesNames = false

        /// A create finds the record that it made before by the member “uid”.
        var findsByUID = false

        /// The server has no feed: each answer lists all records.
        var listsEverything = false

        /// A write that changes nothing raises the version, too.
        var countsEveryWrite = false

        /// The server accepts an edit of any version.
        var ignoresVersions = false
    }

    /// A stored record; a deleted one has no data.
    struct Row {
        var version: Int
        var data: JSON?
    }

    /// The rows by name, and the last version.
    struct State {
        fileprivate var rows: [CodePointString: Row] = [:]
        fileprivate var version = 0
    }

    let quirks: Quirks
    private(set) var state: State

    init(_ quirks: Quirks = Quirks(), state: State? = nil) {
        self.quirks = quirks
        self.state = state ?? State()
    }

    var rows: [String: Row] { Dictionary(uniqueKeysWithValues: self.state.rows.map { ($0.key.value, $0.value) }) }

    /// The capabilities that its remote declares.
    var capabilities: RemoteCapabilities {
        get throws {
            var capabilities = RemoteCapabilities.native
            capabilities.repetition = .recognized
            capabilities.judgesSeen = false
            capabilities.tombstones = .forever
            if self.quirks.addsMembers {
                capabilities.serverMembers = try ["/id", "/last_modified"].map { try JSONPointer(parsing: $0) }
            }
            if self.quirks.checksFirst { capabilities.condition = .checkedFirst(watch: .seconds(10)) }
            if self.quirks.forgetsDeletions { capabilities.tombstones = .kept(.seconds(60), isSignalled: false) }
            if self.quirks.roundsNumbers { capabilities.values = .rounded }
            if self.quirks.listsEverything { (capabilities.feed, capabilities.tombstones) = (.listing, .none) }
            if self.quirks.ignoresVersions { capabilities.condition = .none }
            if self.quirks.makesNames {
                capabilities.names = self.quirks.findsByUID ? .member(JSONPointer(tokens: ["uid"])) : .server
            }
            return capabilities
        }
    }
}

// MARK: - Exchanges

extension LesserServer {
    /// Carries out an exchange.
    ///
    /// - Parameter between: Called after the versions were checked, and before anything is written.
    func exchange(_ request: ExchangeRequest, between: () throws -> Void = {}) throws -> ExchangeAnswer {
        let place = try self.place(request.cursor)
        let checked = try request.uploads.map { ($0, try self.isCurrent($0)) }
        try between()
        let results = try checked.map { try self.result($0, isCurrent: $1) }
        var rows = self.state.rows.filter { $0.value.version > place.since }.sorted {
            $0.value.version < $1.value.version
        }
        if self.quirks.listsEverything { rows = rows.filter { $0.value.data != nil } }
        let items = rows.dropFirst(place.offset).prefix(request.limit).map { name, row in
            FeedPage.Item(
                pk: (row.data?["uid"] ?? JSON(name.value)).text, version: "\(row.version)",
                data: self.text(of: row, under: name.value),
                name: self.quirks.makesNames ? JSON(name.value).text : nil)
        }
        let end = place.offset + items.count
        let hasMore = end < rows.count
        let last = hasMore && !self.quirks.listsEverything ? rows[end - 1].value.version : self.state.version
        var answer = ExchangeAnswer(
            results: results, page: FeedPage(Array(items)),
            cursor: hasMore && self.quirks.listsEverything ? "@\(end)" : "\(last)", hasMore: hasMore, epoch: "1",
            account: "1")
        answer.beginsResync = self.quirks.listsEverything && place.offset == 0
        return answer
    }

    /// The version after which the next page begins, and the number of rows of a full list to skip.
    private func place(_ cursor: String?) throws -> (since: Int, offset: Int) {
        guard let cursor, !cursor.isEmpty else { return (0, 0) }
        if cursor.hasPrefix("@") { return (0, Int(cursor.dropFirst()) ?? 0) }
        guard let since = Int(cursor) else { throw RemoteFailure(.historyLost, "an unknown cursor") }
        return (self.quirks.listsEverything ? 0 : since, 0)
    }

    private func result(_ upload: UploadRequest, isCurrent: Bool) throws -> UploadResult {
        func refused(_ status: Int) -> UploadResult {
            UploadResult(
                requestID: upload.requestID,
                outcome: .refused(ProblemDetails(status: status, title: "It is refused.", document: [:])))
        }
        var name = try self.name(of: upload)
        guard !upload.pk.isEmpty else { return refused(400) }
        if isCurrent {
            let record: JSON?
            do { record = try upload.record() } catch { return refused(422) }
            guard record?.object != nil || upload.intent == .delete else { return refused(400) }
            if upload.intent == .create { name = name ?? "n\(self.state.version + 1)" }
            self.write(record, under: name ?? upload.pk)
        }
        let shown = self.shown(name ?? upload.pk)
        return UploadResult(
            requestID: upload.requestID, outcome: isCurrent ? .accepted(shown) : .conflicted(shown),
            name: self.quirks.makesNames ? name : nil)
    }

    /// Forgets all deletions.
    func forgetDeletions() {
        self.state.rows = self.state.rows.filter { $0.value.data != nil }
    }

    /// Rolls back to a former state.
    func rollBack(to state: State) { self.state = state }

    private func isCurrent(_ upload: UploadRequest) throws -> Bool {
        guard let name = try self.name(of: upload) else { return upload.intent == .delete || upload.version == nil }
        let row = self.state.rows[CodePointString(name)]
        if row?.data == nil, upload.intent != .create { return upload.intent == .delete }
        return self.quirks.ignoresVersions || upload.version == row.map { "\($0.version)" }
    }

    /// The server's name for the record of an edit; nil before it has assigned one.
    private func name(of upload: UploadRequest) throws -> String? {
        guard self.quirks.makesNames else { return upload.pk }
        if let name = upload.name { return name }
        guard upload.intent == .create || self.quirks.findsByUID else {
            throw Trouble("“\(upload.pk)” is edited, and has no name")
        }
        return self.state.rows.first { $0.value.data?["uid"] == JSON(upload.pk) && self.quirks.findsByUID }?.key.value
    }

    private func write(_ record: JSON?, under name: String) {
        let former = self.state.rows[CodePointString(name)]
        let data = self.quirks.roundsNumbers ? record?.rounded : record
        // A write without a change keeps the version (W7, W9).
        let isChange = former?.data != data || (former == nil && data != nil)
        guard isChange || self.quirks.countsEveryWrite else { return }
        self.state.version += 1
        let claimed = self.quirks.addsMembers ? record?["last_modified"]?.int : nil
        self.state.rows[CodePointString(name)] = Row(version: claimed ?? self.state.version, data: data)
    }

    private func shown(_ name: String) -> StoredVersion {
        guard let row = self.state.rows[CodePointString(name)] else { return StoredVersion() }
        return StoredVersion(version: "\(row.version)", data: self.text(of: row, under: name).map { Array($0.utf8) })
    }

    private func text(of row: Row, under name: String) -> String? {
        guard var data = row.data else { return nil }
        if self.quirks.addsMembers {
            data["id"] = JSON(name)
            data["last_modified"] = JSON(row.version)
        }
        return data.text
    }
}

extension JSON {
    /// The record with its numbers rounded to doubles.
    fileprivate var rounded: JSON {
        var record = self
        for (key, value) in self.object ?? [:] {
            if let number = value.double { record[key] = JSON(number) }
        }
        return record
    }
}

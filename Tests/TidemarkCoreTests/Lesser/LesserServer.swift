import TidemarkCore
import TidemarkJSON
import TidemarkRules
import TidemarkTesting

/// A server that no one here wrote: it knows whole records, gives each a version, and has quirks that are switches.
///
/// It checks the version of every write first, and then writes; what happens in between is in a test's hand.
final class LesserServer {
    /// What it does that our own does not.
    struct Quirks: Hashable {
        /// A row has its name and its version in it, and a version that is sent is believed.
        var addsMembers = false

        /// It says that it checks a version first, and then writes.
        var checksFirst = false

        /// It keeps the numbers of a record as doubles.
        var roundsNumbers = false

        /// It forgets what was deleted when it is told to, and tells nobody.
        var forgetsDeletions = false

        /// It makes the names of records; a deletion has nothing else.
        var makesNames = false

        /// A record that it made is found by what its member “uid” has.
        var findsByUID = false
    }

    /// What it has under a name; a deleted record has no data.
    struct Row {
        var version: Int
        var data: JSON?
    }

    let quirks: Quirks
    private(set) var rows: [String: Row] = [:]
    private var version = 0

    init(_ quirks: Quirks = Quirks()) {
        self.quirks = quirks
    }

    /// What its remote says of it.
    var capabilities: RemoteCapabilities {
        get throws {
            var capabilities = RemoteCapabilities.native
            capabilities.repetition = .recognised
            capabilities.tombstones = .forever
            if self.quirks.addsMembers {
                capabilities.serverMembers = try ["/id", "/last_modified"].map { try JSONPointer(parsing: $0) }
            }
            if self.quirks.checksFirst { capabilities.condition = .checkedFirst(watch: .seconds(10)) }
            if self.quirks.forgetsDeletions { capabilities.tombstones = .kept(.seconds(60), isSignalled: false) }
            if self.quirks.roundsNumbers { capabilities.values = .rounded }
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
    /// - Parameter between: What happens after the versions were checked, and before anything is written.
    func exchange(_ request: ExchangeRequest, between: () throws -> Void = {}) throws -> ExchangeAnswer {
        let checked = try request.uploads.map { ($0, try self.isCurrent($0)) }
        try between()
        let results = try checked.map { upload, isCurrent in
            var name = try self.name(of: upload)
            if isCurrent {
                name = name ?? "n\(self.version + 1)"
                self.write(try upload.record(), under: name ?? upload.pk)
            }
            let shown = self.shown(name ?? upload.pk)
            return UploadResult(
                requestID: upload.requestID, outcome: isCurrent ? .accepted(shown) : .conflicted(shown),
                name: self.quirks.makesNames ? name : nil)
        }
        let since = request.watermark.flatMap { Int($0) } ?? 0
        let news = self.rows.filter { $0.value.version > since }.sorted { $0.value.version < $1.value.version }
        let items = news.map { name, row in
            FeedPage.Item(
                pk: (row.data?["uid"] ?? JSON(name)).text, stamp: "\(row.version)",
                data: self.text(of: row, under: name),
                name: self.quirks.makesNames ? JSON(name).text : nil)
        }
        return ExchangeAnswer(
            results: results, page: FeedPage(items), watermark: "\(self.version)", epoch: "1", account: "1")
    }

    /// Forgets what was deleted.
    func forgetDeletions() {
        self.rows = self.rows.filter { $0.value.data != nil }
    }

    private func isCurrent(_ upload: UploadRequest) throws -> Bool {
        guard let name = try self.name(of: upload) else { return upload.version == nil }
        return upload.version == self.rows[name].map { "\($0.version)" }
    }

    /// What it calls the record of an edit; nil for one that it has no name for yet.
    private func name(of upload: UploadRequest) throws -> String? {
        guard self.quirks.makesNames else { return upload.pk }
        if upload.intent == .create {
            return self.rows.first { $0.value.data?["uid"] == JSON(upload.pk) && self.quirks.findsByUID }?.key
        }
        guard let name = upload.name else { throw Trouble("“\(upload.pk)” is edited, and has no name") }
        return name
    }

    private func write(_ record: JSON?, under name: String) {
        self.version += 1
        let claimed = self.quirks.addsMembers ? record?["last_modified"]?.int : nil
        self.rows[name] = Row(
            version: claimed ?? self.version, data: self.quirks.roundsNumbers ? record?.rounded : record)
    }

    private func shown(_ name: String) -> StoredVersion {
        guard let row = self.rows[name] else { return StoredVersion() }
        return StoredVersion(stamp: "\(row.version)", data: self.text(of: row, under: name).map { Array($0.utf8) })
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
    /// A record whose numbers were doubles once.
    fileprivate var rounded: JSON {
        var record = self
        for (key, value) in self.object ?? [:] {
            if let number = value.double { record[key] = JSON(number) }
        }
        return record
    }
}

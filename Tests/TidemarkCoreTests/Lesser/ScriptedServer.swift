import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// One device, and a server whose every answer a test writes by hand. About the notes.
final class ScriptedServer {
    let store = MemoryStore()
    let engine: SyncEngine
    private(set) var told: [String] = []
    private(set) var report: CollectionReport?
    private var sent: [(request: ExchangeRequest, token: ExchangeToken)] = []
    private var watermark = 0
    var now = Duration.zero

    init(_ change: (inout RemoteCapabilities) -> Void) throws {
        var capabilities = RemoteCapabilities.native
        change(&capabilities)
        self.engine = try SyncEngine(
            store: self.store, configuration: SyncConfiguration(), capabilities: capabilities, seed: 1)
    }

    /// The edits of a POST that a sync begins with; empty where it begins with a GET.
    func begin() throws -> [UploadRequest] {
        self.take(try self.engine.sync("notes", now: self.now))
        guard let sent = self.sent.first else { throw Trouble("nothing was sent") }
        return sent.request.uploads
    }

    /// Answers what was sent, and has nothing more to say to what follows.
    ///
    /// - Returns: The edits that were sent after it.
    @discardableResult
    func answer(_ items: [FeedPage.Item] = [], _ results: UploadResult...) throws -> [UploadRequest] {
        var (items, results, posted) = (items, results, [UploadRequest]())
        while !self.sent.isEmpty {
            let token = self.sent.removeFirst().token
            self.watermark += 1
            let answer = ExchangeAnswer(
                results: results, page: FeedPage(items), watermark: "\(self.watermark)", epoch: "1", account: "1")
            self.take(try self.engine.receive(answer, for: token, now: self.now))
            guard let next = self.sent.first, next.request.uploads.isEmpty else { break }
            (items, results) = ([], [])
        }
        posted += self.sent.first?.request.uploads ?? []
        return posted
    }

    /// A sync that is shown some rows; it has nothing to send.
    func pull(_ items: FeedPage.Item...) throws {
        guard try self.begin().isEmpty else { throw Trouble("something was sent") }
        try self.answer(items)
    }

    func edit(_ pk: String, _ change: (inout JSON) -> Void) throws {
        let edit = try self.engine.edit(pk, in: "notes") { (json) throws(TidemarkError) in
            var json = json
            change(&json)
            return json
        }
        self.take(edit.effects)
    }

    func delete(_ pk: String) throws { self.take(try self.engine.delete(pk, in: "notes").effects) }

    func create(_ content: JSON, pk: String) throws {
        self.take(try self.engine.create(content, pk: pk, in: "notes").effects)
    }

    func record(_ pk: String) throws -> StoredRecord? { try self.store.record(pk, in: "notes") }

    func journal() throws -> [StoredJournalEntry] { try self.store.journal(of: nil, in: "notes") }

    private func take(_ effects: [SyncEffect]) {
        for effect in effects {
            switch effect {
            case .send(let request, let token): self.sent.append((request, token))
            case .tell(let change): self.told.append(change.pk)
            case .finish(let report): self.report = report
            case .tellAll, .wake, .settle, .progress: continue
            }
        }
    }
}

extension UploadRequest {
    /// Taken; the server has this text of it.
    func accepted(_ data: String, _ stamp: Int, name: String? = nil) -> UploadResult {
        UploadResult(
            requestID: self.requestID,
            outcome: .accepted(StoredVersion(stamp: "\(stamp)", data: Array(data.utf8))), name: name)
    }
}

extension FeedPage.Item {
    /// A row, or a tombstone; with a name of the server's, or none.
    static func row(_ pk: String, _ stamp: Int, _ data: String?, name: String? = nil) -> Self {
        Self(pk: JSON(pk).text, stamp: "\(stamp)", data: data, name: name.map { JSON($0).text })
    }
}

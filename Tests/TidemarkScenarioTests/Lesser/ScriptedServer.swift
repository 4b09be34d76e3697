import CoreSupport
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// One device and a server whose answers the test writes by hand, with the collection of notes.
final class ScriptedServer {
    let store = MemoryStore()
    let engine: SyncEngine
    private(set) var told: [String] = []
    private(set) var report: CollectionReport?
    private var sent: [(request: ExchangeRequest, token: ExchangeToken)] = []
    private var cursor = 0

    /// The rows of a full resync.
    var listing: [FeedPage.Item] = []
    var now = Duration.zero

    init(_ change: (inout RemoteCapabilities) -> Void) throws {
        var capabilities = RemoteCapabilities.native
        change(&capabilities)
        self.engine = try SyncEngine(
            store: self.store, configuration: SyncConfiguration(), capabilities: capabilities, seed: 1)
    }

    /// Begins a sync, and returns the edits of its first request; empty if that is a GET.
    func begin() throws -> [UploadRequest] {
        self.take(try self.engine.sync("notes", now: self.now))
        guard let sent = self.sent.first else { throw Trouble("nothing was sent") }
        return sent.request.uploads
    }

    /// Answers the pending request, and following GETs with empty answers.
    ///
    /// - Returns: The edits that the client sent next.
    @discardableResult
    func answer(_ items: [FeedPage.Item] = [], _ results: UploadResult...) throws -> [UploadRequest] {
        var (items, results, posted) = (items, results, [UploadRequest]())
        while !self.sent.isEmpty {
            let token = self.sent.removeFirst().token
            self.cursor += 1
            let answer = ExchangeAnswer(
                results: results, page: FeedPage(items), cursor: "\(self.cursor)", epoch: "1", account: "1")
            self.take(try self.engine.receive(answer, for: token, now: self.now))
            guard let next = self.sent.first, next.request.uploads.isEmpty else { break }
            (items, results) = (next.request.cursor == nil ? self.listing : [], [])
        }
        posted += self.sent.first?.request.uploads ?? []
        return posted
    }

    /// Loses the answer to the pending request, and sends its edits again.
    func sendAgain() throws -> UploadRequest? {
        let token = self.sent.removeFirst().token
        self.take(try self.engine.fail(RemoteFailure(.offline, "lost"), for: token, now: self.now))
        self.now += .seconds(600)
        return try self.begin().first
    }

    /// A sync that sends nothing and receives some rows.
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
            case .tellAll, .wake, .settle, .progress, .leftToUser, .released: continue
            }
        }
    }
}

extension UploadRequest {
    /// The result that accepts this upload with a content and a version.
    func accepted(_ data: String, _ version: Int, name: String? = nil) -> UploadResult {
        UploadResult(
            requestID: self.requestID,
            outcome: .accepted(StoredVersion(version: "\(version)", data: Array(data.utf8))), name: name)
    }
}

extension FeedPage.Item {
    /// A row, or a tombstone if there is no data; optionally with a name that the server assigns.
    static func row(_ pk: String, _ version: Int, _ data: String?, name: String? = nil) -> Self {
        Self(pk: JSON(pk).text, version: "\(version)", data: data, name: name.map { JSON($0).text })
    }
}

import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// A server that names its rows with integers and has the pk in the member `ref`. Its feed has the latest row of each name.
final class NamingServer: Remote {
    struct Row: Sendable {
        var name: String
        var version: Int
        var content: JSON

        fileprivate var pk: String { self.content.ref?.string ?? self.name }

        fileprivate var stored: StoredVersion { StoredVersion(version: "\(self.version)", data: self.content.bytes) }
    }

    private struct State {
        var rows: [String: Row] = [:]
        var version = 0
        var epoch = 1

        @discardableResult
        mutating func write(_ content: JSON, as name: String) -> Row {
            self.version += 1
            let row = Row(name: name, version: self.version, content: content)
            self.rows[name] = row
            return row
        }
    }

    private let state = Mutex(State())

    var capabilities: RemoteCapabilities {
        var capabilities = RemoteCapabilities.native
        capabilities.names = .member(JSONPointer(tokens: ["ref"]))
        (capabilities.judgesSeen, capabilities.repetition) = (false, .recognized)
        return capabilities
    }

    /// The latest row of each name.
    var rows: [String: Row] { self.state.withLock { $0.rows } }

    /// Writes rows as another client does.
    func write(_ rows: [(name: String, content: JSON)]) {
        self.state.withLock { state in
            for row in rows { state.write(row.content, as: row.name) }
        }
    }

    /// Replaces all rows, as a restore and another client after it do; the server has another epoch from then on.
    func restore(_ rows: [(name: String, content: JSON)]) {
        self.state.withLock { state in
            (state.rows, state.version) = ([:], 0)
            state.epoch += 1
        }
        self.write(rows)
    }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        try self.state.withLock { (state) throws(RemoteFailure) in
            let isOfOurs = request.known.epoch.map { $0 == "\(state.epoch)" } ?? true
            guard isOfOurs || request.cursor == nil && request.uploads.isEmpty else {
                throw RemoteFailure(.historyLost, "The server was restored.", serverRolledBack: true)
            }
            var results: [UploadResult] = []
            for upload in request.uploads { results.append(Self.apply(upload, &state)) }
            let since = request.cursor.flatMap { Int($0) } ?? 0
            let rows = state.rows.values.filter { $0.version > since }.sorted { $0.version < $1.version }
            let page = rows.prefix(request.limit)
            let items = page.map { row in
                FeedPage.Item(
                    pk: JSON(row.pk).text, version: "\(row.version)", data: row.content.text, name: JSON(row.name).text)
            }
            return ExchangeAnswer(
                results: results, page: FeedPage(items), cursor: "\(page.last?.version ?? since)",
                hasMore: page.count < rows.count, epoch: "\(state.epoch)", account: "1")
        }
    }

    private static func apply(_ upload: UploadRequest, _ state: inout State) -> UploadResult {
        let named = upload.name ?? state.rows.values.first { $0.pk == upload.pk }?.name
        let former = named.flatMap { state.rows[$0] }
        let isOfRecord = former.map { $0.pk == upload.pk } ?? true
        guard isOfRecord, former?.version.description == upload.version, let content = try? upload.record() else {
            return UploadResult(
                requestID: upload.requestID, outcome: .conflicted(former?.stored ?? StoredVersion()), name: former?.name
            )
        }
        let last = state.rows.keys.compactMap { Int($0) }.max() ?? 0
        let row = state.write(content, as: named ?? "\(last + 1)")
        return UploadResult(requestID: upload.requestID, outcome: .accepted(row.stored), name: row.name)
    }
}

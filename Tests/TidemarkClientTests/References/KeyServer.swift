import CoreSupport
import Synchronization
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules
import TidemarkTesting

/// A server with foreign keys: it refuses an edit that names a record which it does not have, and the delete of a record that
/// another one names. It decides each edit alone, in its order.
final class KeyServer: KeyedServer {
    /// A request with edits, as it came.
    struct Post: Hashable, CustomStringConvertible {
        let collection: String
        let edits: [String]

        var description: String { "\(self.collection): \(self.edits.joined(separator: " "))" }
    }

    private struct State {
        var server: InProcessServer
        var rows: [RecordName: Set<RecordName>] = [:]
        var posts: [Post] = []
        var keyRefusals: [String] = []
        var refused: Set<String> = []
        var failing: Set<String> = []
        var losesAnswers = false
        var losing: Set<String> = []
    }

    let clock = ManualClock()
    private let references: [CodePointString: CollectionReferences]
    private let state: Mutex<State>

    init(_ references: [String: [String: String]]) throws {
        self.state = Mutex(State(server: try InProcessServer(clock: self.clock)))
        var all: [CodePointString: CollectionReferences] = [:]
        for (name, members) in references {
            all[CodePointString(name)] = try CollectionReferences(members, of: name)
        }
        self.references = all
    }

    var capabilities: RemoteCapabilities { .native }

    /// What a restored server has again.
    struct Backup {
        fileprivate let image: InProcessServer.Backup
        fileprivate let rows: [RecordName: Set<RecordName>]
    }

    func backup() throws -> Backup {
        try self.state.withLock { Backup(image: try $0.server.backup(), rows: $0.rows) }
    }

    /// Restores a backup: the server is rolled back.
    func restore(_ backup: Backup) throws {
        try self.state.withLock { state in
            state.server = try InProcessServer(backup.image, clock: self.clock, run: "restored")
            state.rows = backup.rows
        }
    }

    /// The requests with edits so far.
    var posts: [Post] { self.state.withLock(\.posts) }

    /// The edits that a key forbade, as `todos/1`, or `-lists/1` for a delete.
    var keyRefusals: [String] { self.state.withLock(\.keyRefusals) }

    /// Refuses these records, as `lists/1`, from now on.
    func refuse(_ names: Set<String>) { self.state.withLock { $0.refused = names } }

    /// Fails each request with an edit of one of these records.
    func fail(with names: Set<String>) { self.state.withLock { $0.failing = names } }

    /// Loses each answer from now on, or none.
    func loseAnswers(_ loses: Bool) { self.state.withLock { $0.losesAnswers = loses } }

    /// Loses the answer to the next request with an edit of this record.
    func loseAnswer(about name: String) { self.state.withLock { _ = $0.losing.insert(name) } }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        if !request.uploads.isEmpty {
            let edits = request.uploads.map { "\($0.intent.mark)\($0.pk)" }
            self.state.withLock { $0.posts.append(Post(collection: request.collection, edits: edits)) }
        }
        var (passed, results) = (request, [UploadResult]())
        passed.uploads = []
        var names: [String: (RecordName, Set<RecordName>?)] = [:]
        for upload in request.uploads {
            let name = RecordName(collection: request.collection, pk: upload.pk)
            let record = try? upload.record()
            let references = self.references[name.collection]?.names(in: record).subtracting([name]) ?? []
            if self.state.withLock({ $0.failing.contains(name.description) }) {
                throw RemoteFailure(.busy, "The server has failed.")
            }
            if let problem = self.problem(name, upload.intent, references) {
                results.append(UploadResult(requestID: upload.requestID, outcome: .refused(problem)))
                continue
            }
            passed.uploads.append(upload)
            names[upload.requestID] = (name, upload.intent == .delete ? nil : references)
        }
        var answer = try InProcessRemote(self.state.withLock(\.server)).exchangeNow(passed)
        self.state.withLock { state in
            for result in answer.results {
                guard case .accepted = result.outcome, let write = names[result.requestID] else { continue }
                state.rows[write.0] = write.1
            }
        }
        answer.results += results
        let sent = request.uploads.map { RecordName(collection: request.collection, pk: $0.pk).description }
        let isLost = self.state.withLock { state in
            let former = state.losing
            state.losing.subtract(sent)
            return state.losesAnswers || state.losing.count < former.count
        }
        if isLost { throw RemoteFailure(.offline, "The answer was lost.") }
        return answer
    }

    private func problem(
        _ name: RecordName, _ intent: UploadRequest.Intent, _ references: Set<RecordName>
    ) -> ProblemDetails? {
        self.state.withLock { state in
            if state.refused.contains(name.description) {
                return ProblemDetails(status: 422, title: "The server does not like \(name).")
            }
            let isForbidden =
                intent == .delete
                ? state.rows.contains { $0.key != name && $0.value.contains(name) }
                : references.contains { state.rows[$0] == nil }
            guard isForbidden else { return nil }
            state.keyRefusals.append("\(intent == .delete ? "-" : "")\(name)")
            return ProblemDetails(status: 409, title: "A foreign key forbids it.")
        }
    }
}

extension UploadRequest.Intent {
    fileprivate var mark: String {
        switch self {
        case .create: "+"
        case .edit: "~"
        case .delete: "-"
        }
    }
}

import Synchronization
import TidemarkCore
import TidemarkJSON

/// A remote that records requests and answers as text.
final class ConformanceRecorder: Remote {
    private struct State {
        var lines: [String] = []
        var forgotten = 0
        var collections: [CodePointString: String] = [:]
    }

    /// The most edits of one request that are recorded; further edits are counted.
    private static let shownEdits = 3

    private let remote: any Remote
    private let state = Mutex(State())

    init(_ remote: any Remote) {
        self.remote = remote
    }

    /// The collections of the requests.
    var collections: [String] { self.state.withLock { $0.collections.values.sorted() } }

    /// Returns the lines since the last call: the last ones, and how many came before.
    func takeLines() -> [String] {
        self.state.withLock { state in
            defer { (state.lines, state.forgotten) = ([], 0) }
            return (state.forgotten > 0 ? ["(\(state.forgotten) before)"] : []) + state.lines
        }
    }

    var capabilities: RemoteCapabilities { self.remote.capabilities }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        self.state.withLock { $0.collections[CodePointString(request.collection)] = request.collection }
        do throws(RemoteFailure) {
            let answer = try await self.remote.exchange(request)
            self.note("\(Self.question(request)) → \(Self.words(for: answer))")
            return answer
        } catch {
            self.note("\(Self.question(request)) → \(error.failureClass): \(error.message)")
            throw error
        }
    }

    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        let question = "listening for \(collections.count) collections"
        do throws(RemoteFailure) {
            let end = try await self.remote.hints(for: collections) { hint in
                if case .moved(_, let cursor) = hint {
                    self.note("\(question) → a change notification\(cursor.map { " at “\($0)”" } ?? "")")
                }
                onHint(hint)
            }
            self.note("\(question) → \(end)")
            return end
        } catch {
            self.note("\(question) → \(error.failureClass): \(error.message)")
            throw error
        }
    }

    /// Records a line of evidence.
    func note(_ line: String) {
        self.state.withLock { state in
            if state.lines.count == ConformanceLimits.evidence {
                state.lines.removeFirst()
                state.forgotten += 1
            }
            state.lines.append(line.cutForEvidence)
        }
    }

    /// A request as text.
    static func question(_ request: ExchangeRequest) -> String {
        let seen = request.seen.map { ", seen “\($0)”" } ?? ""
        let place = (request.cursor.map { "after “\($0)”" } ?? "from the start") + seen
        guard !request.uploads.isEmpty else { return "GET \(place), at most \(request.limit)" }
        let edits = request.uploads.prefix(self.shownEdits).map(ConformanceWords.name)
        let rest = request.uploads.count - edits.count
        return "POST \((edits + (rest > 0 ? ["\(rest) more"] : [])).joined(separator: ", ")) \(place)"
    }

    private static func words(for answer: ExchangeAnswer) -> String {
        let results = answer.results.prefix(self.shownEdits).map {
            ConformanceWords.words(for: $0.outcome, isShort: true)
        }
        let hidden = answer.results.count - results.count
        let rows = "\(answer.page.rows.count) rows\(answer.hasMore ? ", and more" : "")"
        return (results + (hidden > 0 ? ["\(hidden) more results"] : []) + [rows]).joined(separator: ", ")
    }
}

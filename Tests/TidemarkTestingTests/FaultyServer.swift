import Synchronization
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

/// The reference server behind a remote that makes it break one rule.
final class FaultyServer: Remote {
    let capabilities = RemoteCapabilities.native

    /// A mistake of a server, or of an adapter.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case versionBeforeSlowCommit, postPassesRows, halfPatch, missingIsAdded, removalOfNothing, literalEscapes,
            repetitionByBytes, noPointer, foreignCursor, futureCursor, pageIsLast, cursorOfTheEnd, emptyOnce,
            cursorTooLate, secondDelete, otherEpoch, otherAccount, writesForOthers, arrayAsRecord, seenJudgedLate,
            trueIsOne, doubles

        /// The words of the check that must notice it.
        var check: String {
            switch self {
            case .versionBeforeSlowCommit: "clients that write at the same time"
            case .postPassesRows: "a POST with a small limit"
            case .halfPatch: "whose second operation fails"
            case .missingIsAdded, .removalOfNothing: "of a member that is missing are refused"
            case .literalEscapes: "~0 is a tilde"
            case .repetitionByBytes: "sent again as equal JSON"
            case .noPointer: "has the pointer of the failure"
            case .foreignCursor: "a cursor of another collection"
            case .futureCursor: "a cursor of the future"
            case .pageIsLast, .cursorOfTheEnd: "pages of any size contain every record"
            case .emptyOnce: "an empty collection has no rows"
            case .cursorTooLate: "a record that is written after an answer"
            case .secondDelete: "a delete of a record that is gone"
            case .otherEpoch, .otherAccount: "each answer names the same account"
            case .writesForOthers: "a request for another account or epoch"
            case .seenJudgedLate: "an invalid seen cursor that fails applies nothing"
            case .doubles: "numbers keep their value"
            case .trueIsOne: "an edit from 1 to true"
            case .arrayAsRecord: "`replace` and `remove` of a member that exists"
            }
        }

        var testDescription: String { self.rawValue }
    }

    private struct State {
        var hidden: Set<String> = []
        var skipped: Set<String> = []
        var bodies: [String: [UInt8]] = [:]
        var deleted: Set<String> = []
        var answers = 0
        var isAfterGet = false
    }

    let fault: Fault?
    private let server: InProcessRemote
    private let state = Mutex(State())

    init(_ fault: Fault?) throws {
        self.fault = fault
        self.server = InProcessRemote(try InProcessServer())
    }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        var request = request
        if let own = self.answerAtOnce(request) { return own }
        if self.fault == .emptyOnce, request.cursor != nil,
            try self.server.exchangeNow(self.start(request)).page.rows.isEmpty
        {
            throw RemoteFailure(.refused, "the cursor is too early")
        }
        request.uploads = request.uploads.map(self.changed)
        let pks = Set(request.uploads.map(\.pk))
        if self.fault == .versionBeforeSlowCommit { self.state.withLock { $0.hidden.formUnion(pks) } }
        var answer: ExchangeAnswer
        do throws(RemoteFailure) {
            answer = try self.server.exchangeNow(request)
        } catch {
            if self.fault == .seenJudgedLate, request.seen != nil {
                request.seen = nil
                _ = try self.server.exchangeNow(request)
            }
            guard error.failureClass == .historyLost, self.ignoresCursor(request) else { throw error }
            answer = try self.server.exchangeNow(self.start(request))
            (answer.page, answer.hasMore) = (.empty, false)
        }
        if self.fault == .versionBeforeSlowCommit, !pks.isEmpty {
            for _ in 0..<200 { await Task.yield() }
            self.state.withLock { $0.hidden.subtract(pks) }
        }
        return try self.spoiled(answer, of: request)
    }

    /// This request from the start of the feed, without edits.
    private func start(_ request: ExchangeRequest) -> ExchangeRequest {
        ExchangeRequest(collection: request.collection, cursor: nil, limit: 500)
    }

    private func ignoresCursor(_ request: ExchangeRequest) -> Bool {
        guard let cursor = request.cursor, let end = try? self.end(of: request) else { return false }
        let isOwn = cursor.split(separator: ".").dropFirst().first == end.split(separator: ".").dropFirst().first
        switch self.fault {
        case .futureCursor: return isOwn
        case .foreignCursor: return !isOwn
        default: return false
        }
    }

    private func answerAtOnce(_ request: ExchangeRequest) -> ExchangeAnswer? {
        guard let upload = request.uploads.first else { return nil }
        let isKnown = self.state.withLock { state in
            defer {
                state.bodies[upload.requestID] = upload.encodedEdit
                if upload.intent == .delete { state.deleted.insert(upload.pk) }
            }
            switch self.fault {
            case .repetitionByBytes:
                return state.bodies[upload.requestID].map { $0 != upload.encodedEdit } ?? false
            case .secondDelete: return upload.intent == .delete && state.deleted.contains(upload.pk)
            default: return false
            }
        }
        guard isKnown else { return nil }
        let problem = ProblemDetails(status: 422, title: "It is refused.", document: [:])
        return ExchangeAnswer(
            results: [UploadResult(requestID: upload.requestID, outcome: .refused(problem))], cursor: "c", epoch: "e",
            account: "a")
    }

    /// An edit as the server with the fault understands it.
    private func changed(_ upload: UploadRequest) -> UploadRequest {
        let text = String(decoding: upload.encodedEdit, as: UTF8.self)
        let missing = #""path":"/missing""#
        let changed: String
        switch self.fault {
        case .missingIsAdded where text.contains(missing):
            changed = text.replacing(#""op":"replace""#, with: #""op":"add""#)
        case .removalOfNothing where text.contains(missing):
            changed = text.replacing(#"{"op":"remove","path":"/missing"}"#, with: "")
        case .halfPatch:
            changed = text.replacing(#",{"op":"replace","path":"/missing","value":3}"#, with: "")
        case .literalEscapes:
            changed = text.replacing("~1b", with: "~01b")
        case .doubles:
            changed = text.replacing("1e400", with: "1e308")
        case .trueIsOne:
            changed = text.replacing(#""value":true"#, with: #""value":1"#)
        case .arrayAsRecord:
            changed = text.replacing(#""path":"/m/x/0""#, with: #""path":"/m/x/1""#)
        default: return upload
        }
        guard let edit = try? UploadRequest(encodedEdit: Array(changed.utf8), base: upload.base) else { return upload }
        return edit
    }

    private func spoiled(_ answer: ExchangeAnswer, of request: ExchangeRequest) throws(RemoteFailure) -> ExchangeAnswer
    {
        var answer = answer
        let number = self.state.withLock { state in
            state.answers += 1
            return state.answers
        }
        switch self.fault {
        case .versionBeforeSlowCommit: answer.page = self.without(self.state.withLock { $0.hidden }, answer.page)
        case .cursorTooLate:
            let skipped = self.state.withLock { state in
                if request.uploads.isEmpty {
                    state.isAfterGet = true
                } else if state.isAfterGet {
                    state.skipped.formUnion(request.uploads.map(\.pk))
                    state.isAfterGet = false
                }
                return state.skipped
            }
            answer.page = self.without(skipped, answer.page)
        case .postPassesRows where !request.uploads.isEmpty:
            (answer.cursor, answer.hasMore) = (try self.end(of: request), false)
        case .cursorOfTheEnd: answer.cursor = try self.end(of: request)
        case .pageIsLast: answer.hasMore = false
        case .otherEpoch: answer.epoch += "\(number)"
        case .otherAccount: answer.account += "\(number)"
        case .halfPatch, .noPointer: answer.results = answer.results.map { self.spoiled($0, of: request) }
        case .writesForOthers where request.known.account?.contains("other") == true:
            throw RemoteFailure(.identityChanged, "another account")
        default: break
        }
        return answer
    }

    private func spoiled(_ result: UploadResult, of request: ExchangeRequest) -> UploadResult {
        var result = result
        switch (self.fault, result.outcome) {
        case (.halfPatch, .accepted) where request.uploads.contains { $0.requestID == "r2" }:
            result.outcome = .refused(ProblemDetails(status: 422, title: "The patch fails.", document: [:]))
        case (.noPointer, .refused(let problem)):
            result.outcome = .refused(ProblemDetails(status: problem.status, title: problem.title, document: [:]))
        default: break
        }
        return result
    }

    private func end(of request: ExchangeRequest) throws(RemoteFailure) -> String {
        try self.server.exchangeNow(self.start(request)).cursor
    }

    private func without(_ pks: Set<String>, _ page: FeedPage) -> FeedPage {
        FeedPage(bytes: page.bytes, rows: page.rows.filter { !pks.contains(page.pk(of: $0)) })
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A conformance check of a faulty server` {
    private func check(_ words: String) throws -> RemoteConformance.Check {
        try #require(RemoteConformance.checks.first { $0.name.contains(words) })
    }

    @Test(arguments: FaultyServer.Fault.allCases)
    func `a check notices the fault, and a server without it passes`(fault: FaultyServer.Fault) async throws {
        let check = try self.check(fault.check)
        try await check.run { try FaultyServer(nil) }
        let error = await #expect(throws: (any Error).self) { try await check.run { try FaultyServer(fault) } }
        let message = "\(try #require(error))"
        for word in ["Optional(", "TidemarkCore", "StoredVersion(", "UploadRe", "RemoteProbe", "UInt8"] {
            #expect(!message.contains(word), "a message has no notation of a debugger")
        }
    }
}

import Synchronization
import Testing
import TidemarkCore
import TidemarkJSON
import TidemarkTesting

/// The reference server behind a carrier that makes it break one rule of HTTP, or forget something at a restart.
final class FaultyCarrier: ConformanceCarrier {
    /// A mistake of a server.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case malformedIsEmpty, malformedIs500, noLimit, noChallenge, forbidden, plainErrors, noTitle, badEditFailsAll,
            badEditIsIgnored, noLeft, recordsForever, noRecords, noCollections, answersForgotten, versionsBeginAgain,
            cursorsForgotten, sameAccount, foreignCursor, listsAll, twiceInOnePOST, noUnpacking, noPacking,
            restoredSilently, createOverLiveConflicts, otherSpelling, deleteNeedsVersion, deleteIsForced, trueIsVersion,
            noValueFailsAll, unknownMember, unknownParameter, anyLimit, noWireVersion, mayBeCached, noCode, noAccount,
            plusIsBlank, unwatchedHints, noHints, listOfNobody, anySeen, presentItem

        /// The words of the check that must notice it.
        var check: String {
            switch self {
            case .malformedIsEmpty, .malformedIs500: "W10 a malformed body"
            case .noLimit: "W10 a body over the limit"
            case .noChallenge, .forbidden: "W10 a request without a valid token"
            case .plainErrors, .noTitle: "W8 the 410 of a cursor is a problem"
            case .badEditFailsAll, .badEditIsIgnored: "W5 an edit that is no object"
            case .noLeft: "a GET with count=1"
            case .recordsForever, .noRecords: "a record can be read alone"
            case .noCollections: "the list of collections"
            case .answersForgotten: "W4 after a restart"
            case .versionsBeginAgain, .cursorsForgotten: "W3 W8 after a restart"
            case .sameAccount: "W10 another account sees nothing"
            case .twiceInOnePOST: "W4 an edit that is twice in one POST"
            case .listsAll: "W10 the list of collections"
            case .foreignCursor: "W8 W10 a cursor of another account"
            case .noUnpacking: "a body as gzip"
            case .noPacking: "a large answer is packed"
            case .restoredSilently: "W8 after a backup was restored"
            case .createOverLiveConflicts: "W1 a create that names the version of a live record"
            case .otherSpelling: "W1 the number 17.0"
            case .deleteNeedsVersion, .deleteIsForced: "W1 W7 a delete without updated_at"
            case .trueIsVersion, .noValueFailsAll: "W5 an edit that is no object"
            case .unknownMember, .unknownParameter: "unknown members of an edit and of a query"
            case .anyLimit: "a limit that is no whole number"
            case .noWireVersion, .mayBeCached: "each answer has Tidemark-Wire: 1"
            case .noCode, .noAccount: "each problem has a code"
            case .plusIsBlank: "a plus in a path"
            case .unwatchedHints, .noHints: "change notifications, if any"
            case .listOfNobody: "the list of collections has each"
            case .anySeen: "W8 a seen cursor of the future"
            case .presentItem: "W4 an edit that is sent again gets its first answer"
            }
        }

        var testDescription: String { self.rawValue }
    }

    private let fault: Fault?
    private let present: Mutex<InProcessRemote>
    private let backup = Mutex<InProcessServer.Backup?>(nil)
    private let isRestored = Mutex(false)
    let isRestarted = Mutex(false)

    private var remote: InProcessRemote { self.present.withLock { $0 } }

    init(_ fault: Fault?, _ server: InProcessServer, token: String = "t1") {
        self.fault = fault
        self.present = Mutex(InProcessRemote(server, token: token))
    }

    func backUp() throws {
        let backup = try self.remote.server.backup()
        self.backup.withLock { $0 = backup }
    }

    func restore() throws {
        let (backup, former) = (try #require(self.backup.withLock { $0 }), self.remote)
        let server = try InProcessServer(
            backup, clock: former.server.clock, tokens: ["t1", "t2"], run: "restored")
        self.present.withLock { $0 = InProcessRemote(server, token: former.token) }
        self.isRestored.withLock { $0 = true }
    }

    var url: String { self.remote.url }
    var hasToken: Bool { true }

    func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        switch self.fault {
        case .unwatchedHints:
            onHint(.moved(collection: "unwatched", cursor: nil))
            return .ended
        case .noHints: return .unavailable(why: "The answer is a web page.")
        default: return .never
        }
    }

    func send(_ request: ConformanceRequest) async throws(RemoteFailure) -> ConformanceReply {
        if self.fault == .listsAll, request.target == "/" {
            return try await InProcessRemote(self.remote.server, token: "t1").send(request)
        }
        let isRestarted = self.isRestarted.withLock { $0 }
        var request = request
        let isHuge = (request.body?.count ?? 0) > 1 << 20
        let text = String(decoding: isHuge ? [] : request.body ?? [], as: UTF8.self)
        if isRestarted {
            switch self.fault {
            case .answersForgotten:
                request.body = Array(text.replacing(#""request_id":"r"#, with: #""request_id":"q"#).utf8)
            case .cursorsForgotten where request.target.contains("max_updated_at"): return Self.gone
            case .versionsBeginAgain where request.target.contains("max_updated_at"):
                request.target = request.target.replacing("limit=100", with: "limit=0")
                return self.withoutItems(try await self.remote.send(request))
            default: break
            }
        }
        if self.fault == .twiceInOnePOST {
            // The last of two equal ids becomes another one.
            let parts = text.split(separator: #""request_id":"r2""#, omittingEmptySubsequences: false)
            if parts.count == 3 {
                request.body = Array("\(parts[0])\"request_id\":\"r2\"\(parts[1])\"request_id\":\"q2\"\(parts[2])".utf8)
            }
        }
        if request.fields.contains(where: { $0.name == "Content-Encoding" }) {
            if self.fault == .noUnpacking { return ConformanceReply(status: 415, fields: [], body: []) }
            request.body = Array(#"{"edits":[]}"#.utf8)
        }
        if self.fault == .restoredSilently, self.isRestored.withLock({ $0 }) {
            request.target = String(request.target.prefix { $0 != "?" }) + "?limit=10"
        }
        if self.fault == .noLimit, isHuge { request.body = Array(#"{"edits":[]}"#.utf8) }
        if self.fault == .badEditIsIgnored, text.contains("[7,") {
            request.body = Array(text.replacing("[7,", with: "[").utf8)
        }
        if self.fault == .foreignCursor, request.target.contains("max_updated_at") {
            request.target = String(request.target.prefix { $0 != "?" }) + "?limit=10"
        }
        self.spoil(&request, text)
        return self.spoiled(try await self.remote.send(request), of: request)
    }

    /// Changes one request, so that the server without the fault answers it as one with the fault.
    private func spoil(_ request: inout ConformanceRequest, _ text: String) {
        let target = request.target
        switch self.fault {
        case .otherSpelling: request.body = request.body.map { _ in Array(text.replacing(".0,", with: ".5,").utf8) }
        case .trueIsVersion: request.body = request.body.map { _ in Array(text.replacing(":true", with: ":1").utf8) }
        case .anyLimit: request.target = "\(target.prefix { $0 != "?" })?limit=10"
        case .plusIsBlank: request.target = target.replacing("+", with: "%20")
        case .anySeen: request.target = target.replacing("seen=", with: "unseen=")
        default: break
        }
    }

    private static var gone: ConformanceReply {
        ConformanceReply(status: 410, fields: [], body: Array("{}".utf8))
    }

    private func spoiled(_ reply: ConformanceReply, of request: ConformanceRequest) -> ConformanceReply {
        var reply = reply
        if reply.body.count > 10_000, self.fault != .noPacking {
            reply.fields.append((name: "Content-Encoding", value: "gzip"))
        }
        switch (self.fault, reply.status) {
        case (.malformedIsEmpty, 400):
            (reply.status, reply.body) = (200, Array("{}".utf8))
        case (.malformedIs500, 400): reply.status = 500
        case (.noChallenge, 401): reply.fields.removeAll { $0.name == "WWW-Authenticate" }
        case (.forbidden, 401): reply.status = 403
        case (.plainErrors, 410): reply.fields = [(name: "Content-Type", value: "text/plain")]
        case (.noTitle, 410): reply.body = Array(#"{"status":410}"#.utf8)
        case (.badEditFailsAll, 200):
            let text = String(decoding: request.body ?? [], as: UTF8.self)
            if text.contains("[7,") { reply.status = 400 }
        case (.noLeft, 200):
            reply.body = Array(String(decoding: reply.body, as: UTF8.self).replacing("left", with: "l").utf8)
        case (.recordsForever, 410): reply.status = 404
        case (.noRecords, 404), (.noRecords, 410): reply.status = 200
        case (.noCollections, 200) where request.target == "/": reply.body = Array(#"{"collections":[]}"#.utf8)
        default: break
        }
        self.spoilAnswer(&reply, to: request)
        return reply
    }

    private func spoilAnswer(_ reply: inout ConformanceReply, to request: ConformanceRequest) {
        let isSmall = (request.body?.count ?? 0) < 10_000 && reply.body.count < 10_000
        guard isSmall else { return }
        let edit = String(decoding: request.body ?? [], as: UTF8.self)
        let answer = String(decoding: reply.body, as: UTF8.self)
        func change(_ old: String, _ new: String) { reply.body = Array(answer.replacing(old, with: new).utf8) }
        switch self.fault {
        case .createOverLiveConflicts where edit.contains("CREATED") && !edit.contains(#""updated_at":null"#):
            change(#""is_conflicted":false"#, #""is_conflicted":true"#)
        case .deleteNeedsVersion where edit.contains("DELETED") && !edit.contains("updated_at"):
            change(#""error":null"#, #""error":{"status":400,"title":"Bad Request"}"#)
        case .deleteIsForced where edit.contains("DELETED") && !edit.contains("updated_at"):
            change(#""is_conflicted":true"#, #""is_conflicted":false"#)
        case .noValueFailsAll where edit.contains(#"{"op":"add","path":""}"#): reply.status = 400
        case .unknownMember where edit.contains("unknown"): reply.status = 400
        case .unknownParameter where request.target.contains("unknown="): reply.status = 400
        case .noWireVersion: reply.fields.removeAll { $0.name == "Tidemark-Wire" }
        case .mayBeCached where reply.status == 200: reply.fields.removeAll { $0.name == "Cache-Control" }
        case .noCode: change(#""code""#, #""cause""#)
        case .noAccount where reply.status == 410: change(#""account""#, #""user""#)
        case .listOfNobody where request.target == "/": change(#""account""#, #""user""#)
        case .presentItem where edit.contains("r1") && answer.contains(#""n":2"#): change(#""n":1"#, #""n":2"#)
        default: break
        }
    }

    private func withoutItems(_ reply: ConformanceReply) -> ConformanceReply {
        var reply = reply
        guard var body = try? JSON(parsing: reply.body) else { return reply }
        body["items"] = []
        body["more"] = false
        reply.body = body.bytes
        return reply
    }
}

@Suite(.timeLimit(.minutes(10))) struct `A conformance check over HTTP` {
    /// The outcomes of a run over a faulty server, with a second account and a restart.
    private func outcomes(
        _ fault: FaultyCarrier.Fault?, level: ConformanceLevel = .full, collections: [String] = [],
        only words: String? = nil
    ) async throws -> [ConformanceReport] {
        let server = try InProcessServer(tokens: ["t1", "t2"])
        let carrier = FaultyCarrier(fault, server)
        let stranger = FaultyCarrier(fault, server, token: fault == .sameAccount ? "t1" : "t2")
        let remote = CarriedRemote(carrier, level: level)
        var subject = ConformanceSubject()
        subject.level = level
        subject.http = remote
        let other = CarriedRemote(stranger, level: level)
        (subject.stranger, subject.strangerHTTP) = (other, other)
        subject.restart = { carrier.isRestarted.withLock { $0 = true } }
        (subject.backup, subject.restore) = ({ try carrier.backUp() }, { try carrier.restore() })
        subject.collections = collections
        var reports: [ConformanceReport] = []
        let trouble = try await RemoteConformance.examine(
            remote, of: subject, prefix: "x", within: .seconds(100), time: ManualClock(),
            where: { check in words.map { check.name.contains($0) } ?? true }, told: { reports.append($0) })
        if fault == nil { #expect(trouble == nil) }
        return reports
    }

    @Test(arguments: FaultyCarrier.Fault.allCases)
    func `a check over HTTP notices the fault, with its request and answer`(fault: FaultyCarrier.Fault) async throws {
        let reports = try await self.outcomes(fault, only: fault.check)
        let report = try #require(reports.first { $0.check.contains(fault.check) })
        guard case .broken(let why) = report.outcome else {
            Issue.record("\(report.check): \(report.outcome)")
            return
        }
        #expect(!why.contains("Optional("))
        #expect(!report.exchanges.isEmpty)
        let lines = report.exchanges.flatMap(\.lines)
        #expect(lines.contains { $0.contains("request: ") })
        #expect(lines.allSatisfy { $0.utf8.count < 5_000 })
        #expect(!report.advice.isEmpty)
    }

    @Test(arguments: ConformanceLevel.allCases, [[], ["notes"], ["notes", "tags"]])
    func `a server without a fault passes each check, also in given collections`(
        level: ConformanceLevel, collections: [String]
    ) async throws {
        let reports = try await self.outcomes(nil, level: level, collections: collections)
        for report in reports {
            switch report.outcome {
            case .kept: break
            case .skipped(let why): #expect(!why.isEmpty)
            case .broken(let why), .unchecked(let why): Issue.record("\(report.check): \(why)")
            }
        }
        let open = ConformanceReport.unchecked(in: reports)
        #expect(open.contains { $0.contains("odd names") } == !collections.isEmpty)
        #expect(open.contains { $0.contains("level “minimal”") } == (level == .minimal))
        #expect(open.contains { $0.contains("W8 a cursor from before a purge") })
    }

    @Test func `given collections have no record of the checks left, and keep their own`() async throws {
        let server = try InProcessServer(tokens: ["t1", "t2"])
        let own = InProcessRemote(server, token: "t1")
        func create(_ pk: String) async throws {
            let edit = try UploadRequest(
                encodedEdit: Array(
                    (#"{"request_id":"r-\#(pk)","pk":"\#(pk)","sync_state":"CREATED","#
                        + #""edited_data":[{"op":"add","path":"","value":{}}]}"#).utf8))
            _ = try await own.exchange(ExchangeRequest(collection: "notes", uploads: [edit], cursor: nil, limit: 10))
        }
        try await create("a")
        let remote = CarriedRemote(FaultyCarrier(nil, server), level: .full)
        var subject = ConformanceSubject()
        (subject.http, subject.collections) = (remote, ["notes"])
        let trouble = try await RemoteConformance.examine(
            remote, of: subject, prefix: "x", within: .seconds(100), time: ManualClock(),
            // Written during the run, so after the rows that it leaves out.
            told: { _ in try await create("b") })
        #expect(trouble == nil)
        let page = try await own.exchange(ExchangeRequest(collection: "notes", cursor: nil, limit: 5_000)).page
        let left = page.rows.filter { page.version(of: $0).data != nil }.map { page.pk(of: $0) }
        #expect(left == ["a", "b"])
        let list = try JSON(parsing: try await own.send(.list).body)
        #expect(list["collections"]?.array?.count == 1)
    }

    @Test func `a command of curl has the body in quotes, and no token`() async throws {
        let reports = try await self.outcomes(.malformedIs500, only: "W10 a malformed body")
        let report = try #require(reports.first { $0.check.contains("W10 a malformed body") })
        let line = try #require(report.exchanges.flatMap(\.lines).first)
        #expect(line.contains("curl -sS -i -X POST -H \"Authorization: Bearer $TOKEN\""), "\(line)")
        #expect(line.contains("--data-binary '{\"edits\":[}' 'http://127.0.0.1/v1/x-"), "\(line)")
        #expect(!line.contains("t1"))
    }
}

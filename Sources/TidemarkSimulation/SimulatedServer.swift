import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkServer
import TidemarkWire
import TidemarkTesting

/// The server of a simulation: the reference server with a proxy before it, backups and restarts, or one that does less.
final class SimulatedServer {
    private static let tokens = ["own", "other"]

    let clock: ManualClock
    private(set) var limits: ServerLimits
    /// Whether a delete of a missing record is refused. W7 forbids that, and some servers do it (R8).
    private let isStrict: Bool
    private(set) var ledger = ServerLedger()

    /// All versions of each row in all histories. A device may have no other data (I4).
    private(set) var versions: [SimulationStep.Place: Set<StoredVersion>] = [:]

    /// Every acknowledged word.
    private(set) var acknowledged: Set<Int> = []

    /// The server that does less and takes the place of the reference server, which then gets no requests; nil in most runs.
    let lesser: LesserServer?

    private var server: InProcessServer
    private var backup: Saved
    private(set) var starts = 1
    /// Whether the server has ever lost acknowledged writes.
    private(set) var isRolledBack = false

    /// Whether foreign keys forbid edits that name a missing note, and deletes of notes that are named.
    var hasKeys = false
    /// The edits of the present request that a key forbids, and all that were answered so.
    private var forbidden: Set<String> = []
    private(set) var keyRefusals: Set<String> = []

    /// The present trouble of the server.
    var trouble = SimulationStep.Trouble.none
    /// How often other devices were faster.
    var haste = 0
    /// Versions that were sent without their data, as place and version.
    var shownOdd: Set<[String]> = []

    /// Edits that a proxy refuses for their content, each time (W4).
    private var refused: [String: Int] = [:]
    /// Deletes that a strict server answered with 404. It remembers these answers like all others (W4), so a restored
    /// backup has only those from before the backup.
    private var missing: Set<String> = []
    private var arrived: Set<String> = []
    /// The edit of the present request that a busy proxy answers.
    private var busy: String?
    /// The edits that the server or a proxy refused. No other may count as refused.
    private(set) var judged: Set<String> = []
    /// Edits that came alone and were refused with their request. No late copy of them gets through.
    private var rejected: Set<String> = []

    init(limits: ServerLimits, isStrict: Bool, lesser form: LesserForm? = nil, seed: UInt64 = 0) throws {
        self.isStrict = isStrict
        let clock = ManualClock()
        self.clock = clock
        self.lesser = form.map { LesserServer($0, seed: seed, clock: clock) }
        self.limits = limits
        self.server = try InProcessServer(clock: self.clock, tokens: Self.tokens, limits: limits)
        self.ledger.rememberedBytes = limits.rememberedResult
        self.backup = Saved(image: try self.server.backup(), ledger: self.ledger, missing: [])
    }

    /// The content of a backup.
    private struct Saved {
        let image: InProcessServer.Backup
        let ledger: ServerLedger
        let missing: Set<String>
    }

    // MARK: Restarts and backups

    /// Restarts the server. Each incarnation has another name (W8).
    func restart() throws {
        try self.start(try self.server.backup())
    }

    /// Restarts the server with a quota of records and bytes for an account; 0 for no limit.
    func giveRoom(rows: Int, bytes: Int) throws {
        let (rows, bytes) = (rows > 0 ? rows : nil, bytes > 0 ? bytes : nil)
        guard (rows, bytes) != (self.limits.rowsOfAccount, self.limits.bytesOfAccount) else { return }
        (self.limits.rowsOfAccount, self.limits.bytesOfAccount) = (rows, bytes)
        try self.restart()
    }

    /// The answer to a client that listens for change notifications.
    func listen(to collections: [String], isElsewhere: Bool) -> ServerAnswer {
        let fields =
            WireHints.headers.map { ($0.name, $0.value) }
            + [("Authorization", "Bearer \(Self.tokens[isElsewhere ? 1 : 0])")]
        return self.server.core.answer(
            ServerRequest(
                method: "GET", target: "/v1\(WireHints.target(for: collections))", headers: fields, body: []))
    }

    func backUp() throws {
        self.backup = Saved(image: try self.server.backup(), ledger: self.ledger, missing: self.missing)
    }

    func putBack() throws {
        self.isRolledBack = true
        self.moveClock(by: .zero)
        self.ledger = self.backup.ledger
        self.missing = self.backup.missing
        try self.start(self.backup.image)
    }

    func setUpAnew() throws {
        self.isRolledBack = true
        self.moveClock(by: .zero)
        self.starts += 1
        self.ledger = ServerLedger()
        self.ledger.rememberedBytes = self.limits.rememberedResult
        self.server = try InProcessServer(
            clock: self.clock, tokens: Self.tokens, limits: self.limits, epoch: "epoch-\(self.starts)",
            run: "run-\(self.starts)")
        self.missing = []
        try self.backUp()
    }

    /// Moves the clock. Versions depend on the clock (Contract §5). If the server is rolled back and its clock as well, a version
    /// could be used twice, so such a server continues from the newest version of all.
    func moveClock(by time: Duration) {
        self.clock.advance(by: time)
        guard self.isRolledBack else { return }
        let last = self.versions.values.joined().compactMap { $0.version.flatMap { Int64($0) } }.max() ?? 0
        self.clock.set(to: max(self.clock.now, .microseconds(last + 1)))
    }

    func purge() throws {
        try self.server.purge(olderThan: ServerLimits().horizon)
        let (seconds, _) = ServerLimits().horizon.components
        self.ledger.forget(before: self.clock.microseconds - seconds * 1_000_000)
    }

    private func start(_ backup: InProcessServer.Backup) throws {
        self.starts += 1
        self.server = try InProcessServer(
            backup, clock: self.clock, tokens: Self.tokens, limits: self.limits, run: "run-\(self.starts)")
    }

    // MARK: Requests

    /// Refuses an edit for its content, unless the server has accepted it already.
    func refuse(_ upload: UploadRequest, with status: Int = 422) {
        guard !self.arrived.contains(upload.requestID), self.refused[upload.requestID] == nil else { return }
        self.refused[upload.requestID] = status
    }

    /// Lets a busy proxy answer an edit of a request without reading it.
    func beingBusy<Value>(with edit: String?, _ serve: () throws -> Value) rethrows -> Value {
        self.busy = edit
        defer { self.busy = nil }
        return try serve()
    }

    /// The status that a proxy answers for an edit; nil if the edit passes.
    private func barrier(to edit: String) -> Int? {
        if edit == self.busy { return 429 }
        if self.forbidden.contains(edit) { return 409 }
        return self.refused[edit] ?? (self.missing.contains(edit) ? 404 : nil)
    }

    /// The edits that a foreign key forbids, if the server decides about one after the other. An edit that it has accepted is
    /// answered again (W4), and one of another version changes nothing.
    private func forbidden(in request: ExchangeRequest) -> Set<String> {
        self.forbidden = []
        var rows = self.ledger.rows
        var forbidden: Set<String> = []
        for upload in request.uploads {
            let place = SimulationStep.Place(collection: request.collection, pk: upload.pk)
            guard self.barrier(to: upload.requestID) == nil, !self.arrived.contains(upload.requestID),
                upload.version == rows[place]?.version
            else { continue }
            let content: JSON?
            do {
                content = try upload.record()
            } catch {
                // Of another client, without the record: it changes no name.
                continue
            }
            let isForbidden =
                if let target = SimulationReferences.target(of: place, in: content) {
                    rows[target]?.data == nil
                } else {
                    content == nil
                        && rows.contains { other, row in
                            other != place && SimulationReferences.target(of: other, in: row.data) == place
                        }
                }
            if isForbidden {
                forbidden.insert(upload.requestID)
            } else {
                rows[place] = StoredVersion(version: upload.version, data: content?.bytes)
            }
        }
        return forbidden
    }

    private func refuseDeletions(of request: ExchangeRequest) {
        for upload in request.uploads where upload.intent == .delete {
            let place = SimulationStep.Place(collection: request.collection, pk: upload.pk)
            guard self.ledger.rows[place]?.data == nil, !self.arrived.contains(upload.requestID) else { continue }
            self.missing.insert(upload.requestID)
        }
    }

    /// Whether a proxy refuses a request with a status. Bytes of an edit that passed once pass again (W4), and a refusal for
    /// the size is permanent. Permissions may change.
    func refuses(_ request: ExchangeRequest, with status: Int) -> Bool {
        guard status == 413 else { return true }
        guard !request.uploads.contains(where: { self.arrived.contains($0.requestID) }) else { return false }
        if request.uploads.count == 1 { self.rejected.formUnion(request.uploads.map(\.requestID)) }
        return true
    }

    /// Delivers a request to the server, and applies its answer to the ledger.
    func answer(
        _ request: ExchangeRequest, isElsewhere: Bool, of sender: ServerLedger.Sender
    ) throws(SimulationViolation) -> ServerResponse {
        self.clock.advance(by: .milliseconds(1))
        guard !request.uploads.contains(where: { self.rejected.contains($0.requestID) }) else {
            return SimulationRun.refusal(413)
        }
        if self.isStrict, !isElsewhere { self.refuseDeletions(of: request) }
        self.forbidden = self.hasKeys && !isElsewhere ? self.forbidden(in: request) : []
        self.keyRefusals.formUnion(self.forbidden)
        var passed = self.honest(request)
        // A lost history is reported with an invented cursor too.
        if let circled = self.circled(request), self.handle(passed, isElsewhere: isElsewhere).status == 200 {
            passed = circled
        }
        passed.uploads.removeAll { self.barrier(to: $0.requestID) != nil }
        var response = self.handle(passed, isElsewhere: isElsewhere)
        guard response.status == 200 else { return response }
        let answer: ExchangeAnswer
        do throws(RemoteFailure) {
            answer = try Self.decode(response, passed)
        } catch {
            throw SimulationViolation("W5", "the server sends a malformed answer", error.message)
        }
        if isElsewhere {
            // Two accounts are never mixed (Contract §3.5).
            try SimulationViolation.unless(
                passed.uploads.isEmpty, "§3.5", "an edit goes to another account", sender.name)
        } else {
            let sizes = try self.checkLimits(of: answer, response.body, to: passed)
            self.arrived.formUnion(passed.uploads.map(\.requestID))
            self.judged.formUnion(answer.results.filter(\.isRefused).map(\.requestID))
            let time = self.clock.microseconds
            let before = self.ledger.usage
            for (place, version) in try self.ledger.take(answer, sizes, to: passed, of: sender, at: time) {
                self.versions[place, default: []].insert(version)
                self.acknowledged.formUnion(SimulatedWords.found(in: version.data))
            }
            try self.checkRoom(answer, to: passed, after: before)
        }
        if passed.uploads.count < request.uploads.count { response.body = self.refusing(request, response.body) }
        response.body = self.leadAstray(self.doubled(response.body, of: request), of: request)
        if !isElsewhere { response.body = self.garbled(response.body, of: request) }
        return response
    }

    /// Stores a row that a server that does less has written.
    func store(_ version: StoredVersion, at place: SimulationStep.Place) {
        self.ledger.store(version, at: place)
        self.versions[place, default: []].insert(version)
        self.acknowledged.formUnion(SimulatedWords.found(in: version.data))
    }

    /// Notes a version that a proxy invents, and a device may have.
    func show(_ version: StoredVersion, at place: SimulationStep.Place) {
        self.versions[place, default: []].insert(version)
    }

    /// The answer as the device decodes it.
    static func decode(
        _ response: ServerResponse, _ request: ExchangeRequest
    ) throws(RemoteFailure) -> ExchangeAnswer {
        try WireAnswer.decode(
            status: response.status, header: { response.header($0) }, body: response.body, request: request)
    }

    private func handle(_ request: ExchangeRequest, isElsewhere: Bool) -> ServerResponse {
        let wire = WireRequest(request)
        let headers =
            wire.headers.map { ($0.name, $0.value) } + [("Authorization", "Bearer \(Self.tokens[isElsewhere ? 1 : 0])")]
        return self.server.handle(
            ServerRequest(method: wire.method, target: "/v1\(wire.target)", headers: headers, body: wire.body ?? []))
    }

    /// The answer with a refusal for each edit that did not pass.
    private func refusing(_ request: ExchangeRequest, _ body: [UInt8]) -> [UInt8] {
        guard var answer = try? JSON(parsing: body) else { return body }
        var passed = (answer.results?.array ?? [])[...]
        let results = request.uploads.compactMap { upload -> JSON? in
            guard let status = self.barrier(to: upload.requestID) else { return passed.popFirst() }
            if upload.requestID != self.busy { self.judged.insert(upload.requestID) }
            return [
                "request_id": .string(JSONString(upload.requestID)), "pk": .string(JSONString(upload.pk)),
                "is_conflicted": false, "item": .null,
                "error": [
                    "status": .number(JSONNumber(status)), "title": "Not taken", "detail": "It is not liked.",
                ],
            ]
        }
        answer.results = .array(results)
        return answer.bytes
    }
}

import TidemarkCore
import TidemarkMachine
import TidemarkRules
import TidemarkServer
import TidemarkTesting

// Messages and their delivery.

extension SimulationRun {
    /// The number of requests, besides one for each row to read or to send, after which a sync counts as endless (I8).
    static let requestsOfASync = 60

    func begin(_ device: SimulatedDevice, _ collection: String) throws {
        let now = device.clock.now
        self.forgetRefusals(of: collection, device)
        try self.input(device, collection, from: .sync) { (engine) throws(TidemarkError) in
            try self.merging(for: engine, collection) { (large) throws(TidemarkError) in
                try engine.sync(collection, now: now, large)
            }
        }
    }

    /// Carries out an input as a client does, whose large merges are made before it.
    func merging<Value>(
        for engine: SyncEngine, _ collection: String, _ input: (LargeMerges?) throws(TidemarkError) -> Value
    ) throws(TidemarkError) -> Value {
        guard self.setting.mergesBefore > 0 else { return try input(nil) }
        let large = LargeMerges(engine.rules(of: collection).fields, length: 0)
        while true {
            do throws(TidemarkError) {
                return try input(large)
            } catch {
                guard error.code == .mergesMissing else { throw error }
                large.makeMissing()
            }
        }
    }

    /// The app renews the credentials. Their account is unknown until a request with them is answered (Contract §3.1).
    func renew(_ device: SimulatedDevice, _ collection: String) throws {
        let wasTaken = try self.input(device, collection, from: .renewal) { (engine) throws(TidemarkError) in
            try engine.renew(collection)
        }
        guard wasTaken else { return }
        if let token = device.awaited[collection] { device.former.insert(token) }
        device.uncertainCollections.insert(collection)
    }

    func wake(_ device: SimulatedDevice, _ collection: String) throws {
        guard let time = device.device.wakes[collection] else { return }
        try self.follow(device)
        if device.clock.now < time { device.clock.set(to: time) }
        let now = device.clock.now
        self.forgetRefusals(of: collection, device)
        try self.input(device, collection, from: .sync) { (engine) throws(TidemarkError) in
            try engine.wake(collection, now: now)
        }
    }

    /// Clears the refusals of the last sync before another one begins. The last one may have ended without a report, since its
    /// store failed.
    private func forgetRefusals(of collection: String, _ device: SimulatedDevice) {
        if device.awaited[collection] == nil {
            (device.refusedNow[collection], device.ringNow[collection]) = (nil, nil)
        }
    }

    /// Begins a sync, and delivers its messages until it ends.
    func sync(_ device: SimulatedDevice, _ collection: String) throws {
        let isPlain = self.server.trouble == .none && device.awaited[collection] == nil
        let reports = device.device.reports.count
        try self.begin(device, collection)
        let rows = self.server.ledger.rows.count
        // If other devices are faster, each change is sent several times.
        let haste = self.server.trouble == .contention ? 3 * self.setting.rounds : 0
        // A server that does less gets several requests in an exchange.
        let limit =
            self.server.lesser == nil ? Self.requestsOfASync + (4 + haste) * rows : 4 * Self.requestsOfASync + 40 * rows
        var isReading = false
        var count = 0
        while let number = device.device.outbox.firstIndex(where: { $0.request.collection == collection }) {
            count += 1
            try SimulationViolation.unless(
                count <= limit, "I8", "a sync sends requests without an end", "\(device.name), \(collection)")
            isReading = device.device.outbox[number].request.uploads.isEmpty
            try self.carry(device, number, .whole)
        }
        let report = device.device.reports.dropFirst(reports).last { $0.collection == collection }
        // Contract §3.4: correct pages lead to the end of the feed.
        if isPlain, isReading, let failure = report?.failure, failure.failureClass == .invalidAnswer {
            throw SimulationViolation(
                "§3.4", "a correct feed is not followed",
                "\(collection) on \(device.name): \(failure.message)")
        }
    }

    func carry(_ device: SimulatedDevice, _ number: Int, _ fate: SimulationStep.RequestFate) throws {
        guard !device.device.outbox.isEmpty else { return }
        let number = number % device.device.outbox.count
        if let server = self.server.lesser { return try self.carry(device, number, fate, to: server) }
        let sent = device.device.outbox.remove(at: number)
        self.requests += 1
        let fate = device.isOffline ? .lost : self.server.trouble.fate(of: sent.request) ?? fate
        func hear(_ outcome: Result<ExchangeAnswer, RemoteFailure>) throws {
            try self.hear(Answer(device: device, request: sent.request, token: sent.token, outcome: outcome))
        }
        func serve() throws -> Answer {
            let (response, ledger) = try self.serve(sent.request, for: device, isElsewhere: device.isElsewhere)
            return Answer(
                device: device, request: sent.request, token: sent.token,
                outcome: Self.outcome(response, sent.request), ledger: ledger)
        }
        switch fate {
        case .whole: try self.hear(try serve())
        case .slow: self.answers.append(try serve())
        case .twice:
            let first = try serve()
            self.answers.append(try serve())
            try self.hear(first)
        case .lost: try hear(.failure(Self.silence))
        case .late:
            self.arriveLate(sent.request, device)
            try hear(.failure(Self.silence))
        case .answerLost:
            _ = try serve()
            try hear(.failure(Self.silence))
        case .cut(let count):
            var (response, _) = try self.serve(sent.request, for: device, isElsewhere: device.isElsewhere)
            // The transport detects a refusal that is cut (Contract §3.5).
            guard response.status == 200 else { return try hear(.failure(Self.silence)) }
            response.body.removeLast(response.body.count - count % max(response.body.count, 1))
            try hear(Self.outcome(response, sent.request))
        case .status(let status) where !self.server.refuses(sent.request, with: status): try self.hear(try serve())
        case .status(let status):
            try hear(try Self.failure(Self.refusal(status), sent.request, Self.failureClass(status)))
        case .rest(let seconds):
            var response = Self.refusal(503)
            // A wait of years is sent as a date; the device computes the span with its clock.
            let time = seconds > 86_400 ? "Tue, 31 Dec 2199 23:59:59 GMT" : "\(seconds)"
            response.headers.append(("Retry-After", time))
            try hear(Self.outcome(response, sent.request))
        case .statusAfter(let status):
            _ = try serve()
            try hear(try Self.failure(Self.refusal(status), sent.request, Self.failureClass(status)))
        case .html: try hear(try Self.failure(Self.portal, sent.request, .portal))
        case .redirect: try hear(try Self.failure(Self.elsewhere, sent.request, .portal))
        case .busy(let edit):
            let uploads = sent.request.uploads
            let chosen = uploads.isEmpty ? nil : uploads[edit % uploads.count].requestID
            try self.hear(try self.server.beingBusy(with: chosen, serve))
        case .refuse(let edit):
            // Additions to a counter are never refused, so that the sum is known.
            if !sent.request.uploads.isEmpty, sent.request.collection != SimulationSetting.counts {
                self.server.refuse(sent.request.uploads[edit % sent.request.uploads.count])
            }
            try self.hear(try serve())
        }
    }

    /// A request arrives whose device no longer waits. It has the token of the account that its device used when it was sent.
    func arriveLate(_ request: ExchangeRequest, _ device: SimulatedDevice) {
        let isElsewhere = device.isElsewhere
        self.late.append { run in _ = try run.serve(request, for: device, isElsewhere: isElsewhere) }
    }

    /// Delivers or loses an answer in flight.
    func settle(_ number: Int, _ fate: SimulationStep.AnswerFate) throws {
        guard !self.answers.isEmpty else { return }
        var answer = self.answers[number % self.answers.count]
        if fate != .hearAgain { self.answers.remove(at: number % self.answers.count) }
        if fate == .lose { (answer.outcome, answer.ledger) = (.failure(Self.silence), nil) }
        try self.hear(answer)
    }

    /// Delivers a request to the server, which answers.
    func serve(
        _ request: ExchangeRequest, for device: SimulatedDevice, isElsewhere: Bool
    ) throws -> (response: ServerResponse, ledger: ServerLedger?) {
        if !isElsewhere {
            try self.server.getAhead(of: request)
            try self.server.sendOddNames(before: request)
        }
        let response = try self.server.answer(request, isElsewhere: isElsewhere, of: device.sender)
        self.digest.add(response.body)
        if let tell = self.tell {
            let edits = request.uploads.map { String(decoding: $0.encodedEdit, as: UTF8.self) }.joined(separator: ", ")
            tell("    \(device.name) asks \(request.collection) after \(request.cursor ?? "nothing") [\(edits)]")
            tell("    the server: \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
        return (response, isElsewhere ? nil : self.server.ledger)
    }

    /// Gives a device an answer, or its absence.
    func hear(_ answer: Answer) throws {
        let (device, token, now) = (answer.device, answer.token, answer.device.clock.now)
        guard answer.process == device.process else { return }
        guard token.engine == device.engine.number else { return try self.hearFormer(answer) }
        self.isHearing = true
        defer { self.isHearing = false }
        let isAwaited = device.awaited[token.collection] == token
        let isPost = !answer.request.uploads.isEmpty
        if isAwaited {
            device.awaited[token.collection] = nil
            device.running?.spend(.spent(on: answer.request, answer.outcome), now)
        }
        switch answer.outcome {
        case .failure(let failure):
            self.tell?("    \(device.name) hears: \(failure.failureClass), \(failure.message)")
            let mustRead = device.mustRead
            // A failure with the former credentials does not count.
            let isFormer =
                device.former.contains(token)
                && [.auth, .notFound, .identityChanged].contains(failure.failureClass)
            if isAwaited, isPost, !isFormer { device.mustRead.insert(token.collection) }
            if isAwaited, isPost { device.hasFailedToPost.insert(token.collection) }
            // Stored before the input, since the input may send the failed uploads again at once.
            let batches = device.batches
            if isAwaited, isPost, self.server.lesser == nil {
                device.batches[token.collection, default: .init()]
                    .fail(answer.request.uploads, failure, self.setting)
            }
            if isAwaited { device.wasAnswered.remove(token.collection) }
            let reports = device.device.reports.count
            let wasTaken = try self.input(device, token.collection, from: .answer(isAwaited: isAwaited)) {
                (engine) throws(TidemarkError) in
                try engine.fail(failure, for: token, now: now)
            }
            if !wasTaken { (device.mustRead, device.batches) = (mustRead, batches) }
            // A guest applies nothing of such an answer (R28).
            let isGuest = device.process.client != .owner
            if isAwaited, wasTaken, failure.failureClass == .historyLost, answer.ledger != nil, !isGuest {
                self.forgottenUploads.subtract(try self.unsettledUploads(of: device, in: token.collection))
            }
            // Contract §3.5: a failure with the former credentials does not concern the renewed ones.
            let report = device.device.reports.dropFirst(reports).last
            if isAwaited, device.former.contains(token), failure.failureClass == .auth, report?.outcome == .unauthorized
            {
                throw SimulationViolation(
                    "§3.5", "a device pauses for credentials that were renewed", "\(token.collection) on \(device.name)"
                )
            }
        case .success(let page):
            try self.checkSense(of: page, to: answer.request, on: device)
            let changed = isAwaited ? try self.changed(on: device, page, answer.request) : [:]
            let isLossKnown = try device.store.state(of: token.collection).isResyncing
            let quarantined = Set(try device.store.quarantinedItems(in: token.collection))
            let shown = quarantined.isEmpty ? [] : try self.shown(by: page, to: answer.request, on: device)
            if isAwaited { device.wasAnswered.insert(token.collection) }
            if !page.page.malformed.isEmpty { device.oddPages[token.collection, default: 0] += 1 }
            if isAwaited, isPost { device.hasWritten.insert(token.collection) }
            let (batches, uncertainCollections) = (device.batches, device.uncertainCollections)
            if isAwaited, isPost {
                device.batches[token.collection]?.succeed(
                    self.configuration(of: device.process.client, on: device).limits.batchSize)
                device.blamed[token.collection] = nil
            }
            let isOfOurs = answer.ledger != nil && page.cursor.utf8.count <= Self.longestName
            if isAwaited, isOfOurs, !device.former.contains(token) {
                device.uncertainCollections.remove(token.collection)
            }
            let wasTaken = try self.input(device, token.collection, from: .answer(isAwaited: isAwaited)) {
                (engine) throws(TidemarkError) in
                try self.merging(for: engine, token.collection) { (large) throws(TidemarkError) in
                    try engine.receive(page, for: token, now: now, large)
                }
            }
            if !wasTaken { (device.batches, device.uncertainCollections) = (batches, uncertainCollections) }
            if !self.server.isRolledBack, !isLossKnown, !page.beginsResync,
                try device.store.state(of: token.collection).resync != nil
            {
                throw SimulationViolation(
                    "§6", "a server that has lost nothing counts as rolled back",
                    "\(token.collection) on \(device.name)")
            }
            guard isAwaited, wasTaken, isOfOurs, let ledger = answer.ledger else { return }
            device.hasAccount = true
            if isPost { device.hasFailedToPost.remove(token.collection) }
            try self.checkQuarantine(on: device, besides: quarantined, showing: shown, after: page, to: answer.request)
            try self.checkMerges(changed, on: device, token.collection)
            try self.check(device, token.collection, after: page, to: answer.request.cursor, ledger)
        }
    }

    static func outcome(
        _ response: ServerResponse, _ request: ExchangeRequest
    ) -> Result<ExchangeAnswer, RemoteFailure> {
        do throws(RemoteFailure) {
            return .success(try SimulatedServer.decode(response, request))
        } catch {
            return .failure(error)
        }
    }

    /// The failure of an answer, checked against the expected class: each class has a policy (Contract §3.5).
    private static func failure(
        _ response: ServerResponse, _ request: ExchangeRequest, _ expected: FailureClass?
    ) throws -> Result<ExchangeAnswer, RemoteFailure> {
        let outcome = Self.outcome(response, request)
        guard let expected else { return outcome }
        guard case .failure(let failure) = outcome, failure.failureClass == expected else {
            throw SimulationViolation(
                "§3.5", "an answer has the wrong failure class", "\(response.status) is not \(expected): \(outcome)")
        }
        return outcome
    }

    /// The failure class of a status, if the specification defines it.
    private static func failureClass(_ status: Int) -> FailureClass? {
        switch status {
        case 401, 407: .auth
        case 404: .notFound
        case 408, 425, 429, 500, 502, 503, 504: .busy
        case 403, 413: .refused
        case 511: .portal
        default: nil
        }
    }

    static let silence = RemoteFailure(.offline, "No answer came.")

    static func refusal(_ status: Int) -> ServerResponse {
        ServerResponse(
            status: status, headers: [("Content-Type", "application/problem+json")],
            body: Array(#"{"title":"Not now","status":\#(status)}"#.utf8))
    }

    static let portal = ServerResponse(
        status: 200, headers: [("Content-Type", "text/html")], body: Array("<html><body>Sign in</body></html>".utf8))

    static let elsewhere = ServerResponse(status: 302, headers: [("Location", "http://portal.example/")])
}

import TidemarkMachine
import TidemarkSimulation

// The part of the engine: what it does with the machine's record, with transactions as SPEC §3 has them.

extension World {
    mutating func post() {
        self.lastRequest += 1
        let recognition: Recognition = self.setting.features.contains(.memory) ? .byAnswer : .byContent
        self.feed(
            .send(
                requestID: "r\(self.lastRequest)", roundLimit: self.setting.roundLimit, recognition: recognition))
        guard self.machine.phase.activity == .uploading, let upload = self.machine.upload else { return }
        self.flight = .posting(upload, watermark: self.watermark, isFull: self.isFull)
    }

    /// One answer is one transaction: the result first, then the row, then the watermark.
    mutating func receive(isComplete: Bool) {
        guard case .answered(let reply) = self.flight else { return }
        self.flight = .none
        guard let watermark = reply.watermark else {
            self.loseUpload(reply.requestID)
            self.isFull = true
            if self.machine.canReceive(.historyLost) { self.feed(.historyLost) }
            return
        }
        var exchange = self.exchange(awaiting: reply.requestID)
        let isOurs = reply.requestID != nil && self.isUploading(reply.requestID)
        // What was seen before an answer to a resend may be older or newer than its row, and versions have no order.
        let isInDoubt = isOurs && self.machine.seen != nil
        if let requestID = reply.requestID, isComplete { exchange.request.settle(requestID) }
        if let result = reply.result, isComplete, isOurs { self.feed(.answered(result)) }
        if let state = reply.listed { self.feed(.listed(state)) }
        if !isComplete { self.loseUpload(reply.requestID) }
        guard exchange.request.posted.isEmpty else { return }
        let page = Exchange.Page(
            former: self.watermark, watermark: watermark, hasMore: false, isListing: self.isFull,
            hasRows: reply.listed != nil, isNews: true,
            isWhole: isOurs && !isInDoubt || reply.requestID == nil)
        let step = exchange.receive(.answered(page), Self.limits)
        if step.actions.has(.pass) { self.watermark = watermark }
        if step.actions.has(.endListing) { self.isFull = false }
    }

    /// The machine of the exchange that is under way. Each begins anew here: what several in a row do to each other is
    /// the simulation's to show.
    private func exchange(awaiting requestID: String?) -> Exchange {
        var exchange = Exchange()
        let chosen = requestID.map { [Exchange.Posted(requestID: $0, name: 0)] }
        _ = exchange.receive(.requested(.init(hasEdits: requestID != nil, chosen: chosen)), Self.limits)
        return exchange
    }

    private typealias Exchange = ExchangeMachine<Int, FailureClass>

    private static let limits = ExchangeLimits(
        batchSize: 1, pageSize: 1, emptyPages: 3, knownRows: 1_000, silentTries: 5, listings: 3, rounds: 5,
        loneFailures: 3)

    mutating func timeOut() {
        let flight = self.flight
        self.flight = .none
        switch flight {
        case .none, .getting: break
        case .posting(let upload, _, _):
            if self.setting.features.contains(.ghosts) { self.ghosts.append(upload) }
            self.loseUpload(upload.requestID)
        case .answered(let reply): self.loseUpload(reply.requestID)
        }
    }

    mutating func crash() {
        if case .posting(let upload, _, _) = self.flight, self.setting.features.contains(.ghosts) {
            self.ghosts.append(upload)
        }
        self.flight = .none
        self.machine = self.stored ?? Machine()
        if self.machine.phase.activity == .uploading { self.feed(.lost) }
    }

    private func isUploading(_ requestID: String?) -> Bool {
        self.machine.phase.activity == .uploading && self.machine.upload?.requestID == requestID
    }

    private mutating func loseUpload(_ requestID: String?) {
        if requestID != nil, self.isUploading(requestID) { self.feed(.lost) }
    }
}

// MARK: - Decisions

extension World {
    /// The question that is open.
    var conflict: Machine.Conflict? { try? self.machine.conflict(self.algebra) }

    /// What the app sees.
    var view: TinyContent? { try? self.machine.view(self.algebra) }

    mutating func decide(_ decision: Move.Decision) {
        guard let conflict = self.conflict else { return }
        switch decision {
        case .server: self.feed(.verdict(.server, about: conflict))
        case .client: self.feed(.verdict(.client, about: conflict))
        case .mix: self.feed(.verdict(.content(Self.mix(conflict)), about: conflict))
        case .serversContent:
            if let content = conflict.server.content { self.feed(.verdict(.content(content), about: conflict)) }
        case .ask:
            self.question = conflict
            self.feed(.verdict(.ask, about: conflict))
        }
    }

    /// R22: the question has moved on while the person was thinking.
    mutating func decideLate() {
        guard let question = self.question, let conflict = self.conflict else { return }
        self.feed(.verdict(.client, about: question))
        guard self.taken.last?.event != .stale else { return }
        self.fault = "R22: a decision about \(question) was taken for one about \(conflict)"
    }

    private static func mix(_ conflict: Machine.Conflict) -> TinyContent {
        TinyContent(a: conflict.server.content?.a ?? conflict.client?.a ?? 0, b: conflict.client?.b ?? 5)
    }
}

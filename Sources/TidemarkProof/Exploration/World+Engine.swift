import TidemarkCore
import TidemarkMachine
import TidemarkSimulation

// The part of the engine: its work on the machine's record, in the transactions of Contract §3.

extension World {
    mutating func post() {
        self.lastRequest += 1
        let recognition: Recognition = self.setting.features.contains(.memory) ? .byAnswer : .byContent
        self.feed(
            .send(
                requestID: "r\(self.lastRequest)", roundLimit: Setting.roundLimit, recognition: recognition))
        guard self.machine.phase.activity == .uploading, let upload = self.machine.upload else { return }
        self.flight = .posting(upload, cursor: self.cursor, isFull: self.isFull)
    }

    /// Applies an answer in one transaction: the result first, then the row, then the cursor.
    mutating func receive(isComplete: Bool) {
        guard case .answered(let reply) = self.flight else { return }
        self.flight = .none
        guard let cursor = reply.cursor else {
            self.loseUpload(reply.requestID)
            self.isFull = true
            if self.machine.canReceive(.historyLost) { self.feed(.historyLost) }
            return
        }
        var exchange = self.exchange(awaiting: reply.requestID)
        let isOurs = reply.requestID != nil && self.isUploading(reply.requestID)
        // A row seen before the answer to a resend may be older or newer than the answer's row, and versions have no order.
        let isUnconfirmed = isOurs && self.machine.seen != nil
        if let requestID = reply.requestID, isComplete { exchange.request.settle(requestID) }
        if let result = reply.result, isComplete, isOurs { self.feed(.answered(result)) }
        if let state = reply.listed { self.feed(.feedRow(state)) }
        if !isComplete { self.loseUpload(reply.requestID) }
        guard exchange.request.posted.isEmpty else { return }
        let page = Exchange.Page(
            cursor: cursor, hasMore: false, isResyncing: self.isFull,
            hasRows: reply.listed != nil, isNews: true,
            isWhole: isOurs && !isUnconfirmed || reply.requestID == nil)
        let step = exchange.receive(.answered(page), Self.limits)
        if step.actions.has(.advanceCursor) { self.cursor = cursor }
        if step.actions.has(.endResync) { self.isFull = false }
    }

    /// The machine of the exchange in progress. Each exchange begins with a new machine here; the simulation tests
    /// sequences of exchanges.
    private func exchange(awaiting requestID: String?) -> Exchange {
        var exchange = Exchange()
        let chosen = requestID.map { [Exchange.Posted(requestID: $0, name: 0)] } ?? []
        let due = exchange.dueOnRequest(Exchange.Outlook(hasEdits: !chosen.isEmpty))
        _ = exchange.receive(due, posting: chosen, Self.limits)
        return exchange
    }

    private typealias Exchange = ExchangeMachine<Int, RemoteFailure>

    private static let limits = ExchangeLimits(
        batchSize: 1, pageSize: 1, emptyPages: 3, knownRows: 1_000, unansweredPosts: 5, fullResyncs: 3,
        oversizedAnswers: 3, rounds: 5, poisonFailures: 3)

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
    /// The open conflict.
    var conflict: Machine.Conflict? { try? self.machine.conflict(self.algebra) }

    /// The record as the app sees it.
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

    /// R22: the conflict changed while the user was deciding.
    mutating func decideLate() {
        guard let question = self.question, let conflict = self.conflict else { return }
        self.feed(.verdict(.client, about: question))
        guard self.taken.last?.event != .stale else { return }
        self.fault = "R22: a decision about \(question) was applied to \(conflict)"
    }

    private static func mix(_ conflict: Machine.Conflict) -> TinyContent {
        TinyContent(a: conflict.server.content?.a ?? conflict.client?.a ?? 0, b: conflict.client?.b ?? 5)
    }
}

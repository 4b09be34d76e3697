import TidemarkMachine

// What the engine does with the exchange, in small: it names what happened, and carries out what the machine says.

extension TwoDevices {
    private static let limits = ExchangeLimits(
        batchSize: 1, pageSize: 1, emptyPages: 3, knownRows: 1_000, silentTries: 5, listings: 3, rounds: 5)

    /// Someone asks for a sync.
    mutating func send(_ index: Int) {
        self.devices[index].exchange.begin()
        let hasEdits = self.hasEdits(index)
        self.carryOut(self.devices[index].exchange.ask(hasEdits: hasEdits, mayTryAccess: false), on: index)
    }

    /// The device hears the answer: result, row, watermark.
    mutating func receive(_ index: Int) {
        guard case .answered(let answer) = self.devices[index].flight else { return }
        self.devices[index].flight = .none
        let before = self.devices[index].machine
        var isWhole = true
        if let requestID = answer.requestID, let result = answer.result {
            isWhole = before.upload?.requestID == requestID && before.seen == nil
            self.devices[index].exchange.settle(requestID)
            if before.upload?.requestID == requestID { self.drive(.answered(result), on: index) }
        }
        if let step = self.devices[index].exchange.noteThatItWorks() { self.carryOut(step, on: index) }
        if let listed = answer.listed { self.drive(.listed(listed), on: index) }
        let page = Exchange.Page(
            former: self.devices[index].watermark, watermark: answer.watermark, hasMore: false, isListing: false,
            hasRows: answer.listed != nil, isNews: self.devices[index].machine != before, isWhole: isWhole)
        let hearing = self.devices[index].exchange.hear(page, Self.limits)
        self.carryOut(hearing.step, on: index, passing: hearing.watermark)
        let hasEdits = self.hasEdits(index)
        self.carryOut(
            self.devices[index].exchange.goOn(hasEdits: hasEdits, isAtEnd: hearing.isAtEnd, waiting: nil), on: index)
    }

    /// The request, or its answer, is lost.
    mutating func loseMessage(of index: Int) {
        self.devices[index].flight = .none
        let evidence = self.devices[index].exchange.takeEvidence(of: .offline, .unknown, Self.limits)
        if let evidence { self.carryOut(evidence, on: index) }
        self.carryOut(self.devices[index].exchange.fail(.offline, .offline, .retry, wait: nil), on: index)
    }

    /// The process is killed and started again: what it kept in mind is what was stored.
    mutating func restart(_ index: Int) {
        self.devices[index].flight = .none
        self.devices[index].exchange = Exchange(memory: self.devices[index].exchange.memory)
        self.loseUpload(of: index)
    }

    private func hasEdits(_ index: Int) -> Bool {
        [.idle, .unconfirmed].contains(self.devices[index].machine.phase.activity)
    }

    private mutating func carryOut(_ step: Exchange.Step, on index: Int, passing watermark: Int? = nil) {
        for action in ExchangeAction.inOrder where step.actions.has(action) {
            switch action {
            case .lose: self.loseUpload(of: index)
            case .pass: self.devices[index].watermark = watermark ?? self.devices[index].watermark
            case .post: self.post(index)
            case .get: self.ask(nil, index)
            // Too few messages are lost here for a record to be held. There is no time, and no one waits.
            case .charge, .backOff, .rest, .finish: continue
            // The machine has it in mind already.
            case .readFirst, .suspect, .acquit, .bisect, .shorten: continue
            case .refuse, .endListing, .startOver:
                self.violation = "\(step.event) in a world without refusals and lost histories"
            }
        }
    }

    private mutating func post(_ index: Int) {
        self.devices[index].uploads += 1
        let id = "\(index)-\(self.devices[index].uploads)"
        self.drive(.send(requestID: id, roundLimit: Self.limits.rounds, recognition: .byAnswer), on: index)
        let machine = self.devices[index].machine
        guard machine.phase.activity == .uploading, let upload = machine.upload else {
            return self.carryOut(self.devices[index].exchange.findNothing(), on: index)
        }
        self.ask(upload, index)
    }

    private mutating func ask(_ upload: Machine.Upload?, _ index: Int) {
        self.devices[index].exchange.send(upload.map { [.init(requestID: $0.requestID, name: 0)] } ?? [], as: 0)
        self.devices[index].flight = .asking(upload, watermark: self.devices[index].watermark)
    }

    private mutating func loseUpload(of index: Int) {
        guard self.devices[index].machine.phase.activity == .uploading else { return }
        self.drive(.lost, on: index)
    }
}

import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON
import TidemarkServer
import TidemarkTesting

// A server that does less than the reference server. A step that delivers a message delivers one request of an exchange, so that
// other devices write between the read and the write of a record.

extension SimulationStep {
    /// Whether the step does something over a server that does less. Such a server has no backups, no change notifications and no
    /// accounts, and the model does not follow a value that is sent twice.
    var isForLesserServers: Bool {
        switch self {
        case .device(_, let act):
            switch act {
            case .create, .type, .clear, .append, .drop, .insert, .move, .put, .draft, .save, .add, .delete, .transact,
                .amend, .undo, .redo, .release, .resign, .look, .decide, .resolve, .begin, .sync, .persist, .carry,
                .wake,
                .renew, .restart, .hand, .fail, .crash, .clock:
                true
            case .point, .restore, .restoreLost, .respell, .account, .copy, .run, .stop, .later, .offline, .online,
                .hear:
                false
            }
        case .server(.clock(let seconds)): seconds > 0
        case .late: true
        case .server, .answer: false
        }
    }
}

extension SimulationRun {
    /// Delivers the waiting request of an exchange, and the result of the exchange after its last request.
    func carry(
        _ device: SimulatedDevice, _ number: Int, _ fate: SimulationStep.RequestFate, to server: LesserServer
    ) throws {
        let outgoing = device.device.outbox[number]
        let exchange = device.exchange(outgoing, server.form)
        if let request = exchange.request {
            self.requests += 1
            exchange.answer(try self.outcome(of: request, fate, exchange, device, server))
        }
        guard let result = exchange.result else { return }
        device.device.outbox.remove(at: number)
        device.exchanges[outgoing.token] = nil
        try self.hear(
            Answer(
                device: device, request: outgoing.request, token: outgoing.token, outcome: result,
                ledger: exchange.ledger))
    }

    private func outcome(
        of request: LesserServer.Request, _ fate: SimulationStep.RequestFate, _ exchange: LesserExchange,
        _ device: SimulatedDevice, _ server: LesserServer
    ) throws -> Result<[HTTPAnswer], RemoteFailure> {
        func answers(_ answer: HTTPAnswer) -> Result<[HTTPAnswer], RemoteFailure> {
            .success(Array(repeating: answer, count: request.count))
        }
        func serve() throws -> [HTTPAnswer] { try self.serve(request, exchange, exchange.read, device, server) }
        switch fate {
        case .whole, .slow: return .success(try serve())
        case .twice:
            let first = try serve()
            _ = try self.serve(request, nil, exchange.read, device, server)
            return .success(first)
        case .lost: return .failure(Self.silence)
        case .late:
            self.arriveLate(request, exchange, device, server)
            return .failure(Self.silence)
        case .answerLost:
            _ = try serve()
            return .failure(Self.silence)
        case .cut(let count):
            return .success(
                try serve().map {
                    HTTPAnswer(
                        status: $0.status, fields: $0.fields, body: Array($0.body.prefix(count % max($0.body.count, 1)))
                    )
                })
        case .status(let status): return answers(HTTPAnswer(status: status))
        case .statusAfter(let status):
            _ = try serve()
            return answers(HTTPAnswer(status: status))
        case .rest(let seconds):
            return answers(HTTPAnswer(status: 503, fields: [(name: "Retry-After", value: "\(seconds)")]))
        case .html: return answers(HTTPAnswer(Self.portal))
        case .redirect: return answers(HTTPAnswer(Self.elsewhere))
        case .busy: return answers(HTTPAnswer(status: 202))
        case .refuse(let number):
            if case .write(let writes) = request { server.refuse(writes[number % writes.count].requestID) }
            return .success(try serve())
        }
    }

    /// A request arrives whose device no longer waits.
    private func arriveLate(
        _ request: LesserServer.Request, _ exchange: LesserExchange, _ device: SimulatedDevice, _ server: LesserServer
    ) {
        let read = exchange.read
        self.late.append { run in _ = try run.serve(request, nil, read, device, server) }
    }

    /// Ends the exchanges of a process that ends. Their requests may arrive.
    func endExchanges(
        _ outgoing: [StoredDevice<FaultyStore>.Outgoing], of device: SimulatedDevice, with server: LesserServer
    ) {
        for outgoing in outgoing {
            let exchange = device.exchange(outgoing, server.form)
            if let request = exchange.request { self.arriveLate(request, exchange, device, server) }
            exchange.end()
        }
        device.exchanges = [:]
    }

    /// - Parameters:
    ///   - exchange: The exchange that gets the answer; nil if its device has given up the request, or gets the answer to another
    ///     copy.
    ///   - read: The words of the rows that the exchange has read before.
    private func serve(
        _ request: LesserServer.Request, _ exchange: LesserExchange?, _ read: [SimulationStep.Place: Set<Int>],
        _ device: SimulatedDevice, _ server: LesserServer
    ) throws -> [HTTPAnswer] {
        let isCopy = exchange == nil
        let answers: [HTTPAnswer]
        switch request {
        case .changes(let collection, let since, let limit):
            answers = [server.list(collection, since: since, limit: limit)]
            exchange?.ledger = self.server.ledger
        case .row(let place):
            answers = [server.row(place)]
            exchange?.read[place] = SimulatedWords.found(in: answers[0].body)
        case .write(let writes):
            answers = try writes.map { write in
                let (answer, effect) = try server.answer(write)
                guard let effect else { return answer }
                self.server.store(server.stored(write.place), at: write.place)
                try self.check(effect, of: write, by: device, over: read[write.place], isCopy: isCopy, server)
                if isCopy { self.pardon(effect, of: write, server) }
                return answer
            }
        }
        self.tell?("    \(device.name)\(isCopy ? " (a copy)" : "") asks: \(request)")
        for answer in answers {
            self.digest.add(answer.body)
            self.tell?("    the server: \(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        return answers
    }

    /// I1: an acknowledged word is overwritten only if the guarantees name that, and only by a device that read the row before the
    /// word was written.
    ///
    /// - Parameter read: The words of the row when the device read it before the write; nil if it did not.
    private func check(
        _ effect: LesserServer.Effect, of write: LesserServer.Write, by device: SimulatedDevice, over read: Set<Int>?,
        isCopy: Bool, _ server: LesserServer
    ) throws {
        let lost = SimulatedWords.found(in: effect.before?.bytes)
            .subtracting(SimulatedWords.found(in: effect.sent?.bytes)).filter { !device.sender.mayLose($0) }
        guard !lost.isEmpty else { return }
        let guarantee: SyncGuarantee = isCopy ? .toleratesMessageLoss : .noLostUpdates
        guard let read, lost.isDisjoint(with: read), !effect.isCurrent,
            case .notKept? = server.form.capabilities.guarantees[guarantee]
        else {
            throw SimulationViolation(
                "I1",
                isCopy
                    ? "a late copy overwrites an acknowledged write, and no guarantee names that"
                    : "an acknowledged write is overwritten, and no guarantee names that",
                "\(SimulatedWords.text(lost)) in \(write.place.text), by \(device.name)")
        }
        server.tally.overwritten += lost.count
    }

    /// I11: a late copy of a discarded create leaves an orphan only if the guarantees name that.
    private func pardon(_ effect: LesserServer.Effect, of write: LesserServer.Write, _ server: LesserServer) {
        guard case .notKept? = server.form.capabilities.guarantees[.noOrphans] else { return }
        self.givenUp[write.place]?.subtract(SimulatedWords.found(in: effect.sent?.bytes))
    }
}

extension HTTPAnswer {
    /// The answer of a proxy.
    fileprivate init(_ response: ServerResponse) {
        self.init(
            status: response.status, fields: response.headers.map { (name: $0.0, value: $0.1) },
            body: response.body)
    }
}

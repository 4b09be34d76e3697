import TidemarkServer

/// Handles the events of connections; the daemon reports them, and carries out the returned reactions.
final class HTTPService: Sendable {
    let core: ServerCore
    let table: ConnectionTable
    let settings: ListenerSettings
    private let log: (@Sendable (AccessEntry) -> Void)?
    private let desk: RequestDesk
    private let resume: @Sendable (UInt) -> Void
    // Resumes watches with hints: not on the thread that committed, since there may be ten thousand.
    private let herald = Lanes<WatchStream>("hints", count: 1, share: \.count, work: { $0.forEach { $0.wake() } })

    /// - Parameters:
    ///   - log: Gets each answered request.
    ///   - resume: Resumes a suspended connection; ``ended(_:)`` is then called for it again.
    init(
        core: ServerCore, table: ConnectionTable, settings: ListenerSettings,
        log: (@Sendable (AccessEntry) -> Void)?, resume: @escaping @Sendable (UInt) -> Void
    ) {
        self.log = log
        self.core = core
        self.table = table
        self.settings = settings
        self.desk = RequestDesk(core, settings: settings, isFull: { table.isFull })
        self.resume = resume
    }

    /// The head of a request arrived.
    func receivedHead(_ id: UInt, _ head: RequestHead) -> IncomingRequest.Reaction {
        let reaction = self.table.withRequest(id) { request in
            request.receivedHead(head, core: self.core, settings: self.settings)
        }
        return self.closing(reaction, id)
    }

    /// A part of the body arrived.
    func received(_ id: UInt, _ bytes: some Collection<UInt8>) -> IncomingRequest.Reaction {
        let outcome = self.table.withRequest(id) { request in
            (request.received(bytes, core: self.core), request.received)
        }
        self.table.extend(id, forBytes: outcome?.1 ?? 0, isNewStep: false)
        self.table.hold(outcome?.1 ?? 0, for: id)
        if self.table.isFull, case .read = outcome?.0 { return self.closing(.refuse(.tooBusy(self.settings)), id) }
        return self.closing(outcome?.0, id)
    }

    /// The whole body arrived, or the answer is available.
    func ended(_ id: UInt) -> IncomingRequest.Reaction {
        switch self.table.takeAnswer(id) {
        case nil:
            return self.closing(self.table.handOver(id).map { .ask($0.ended()) }, id)
        case .whole(var response):
            let asked = self.table.takeRecord(id)
            // Two readers can disagree on the end of a body in chunks: bytes after it are not read.
            if self.table.isStopping || asked?.record.isInChunks == true {
                response.headers.append(("Connection", "close"))
            }
            return .answer(self.noted(response, asked))
        case .events(let watch):
            return self.begin(watch, id)
        }
    }

    private func begin(_ watch: ServerWatch, _ id: UInt) -> IncomingRequest.Reaction {
        let asked = self.table.takeRecord(id)
        // A session of TLS can't be moved out of the library.
        let framing: DetachedSocket.Framing? =
            self.settings.identity != nil ? nil : asked?.record.acceptsChunks == false ? .close : .chunks
        let stream = self.table.becameWatch(id) {
            WatchStream(
                watch, id: id, socket: $0, address: $1, framing: framing, resume: self.resume,
                ended: { [weak table = self.table] in table?.ended($0) })
        }
        guard let stream else {
            watch.end()
            return .answer(self.noted(.tooManyConnections(self.settings), asked))
        }
        var beginning = ServerResponse(status: 200)
        beginning.account = watch.account
        // The connection can't be used for another request after it.
        beginning.headers += ServerWatch.headers + [("Connection", "close")]
        beginning = self.noted(beginning, asked)
        watch.onNews { [weak stream, herald] in
            if let stream { herald.add(stream) }
        }
        return .stream(stream, beginning)
    }

    /// Hands over the request of a suspended connection.
    func ask(_ request: ServerRequest, _ id: UInt) {
        self.desk.take(request) { response in
            self.table.answered(id, response)
            self.resume(id)
        }
    }

    /// Waits until the core is not used any more; no request may be handed over after it.
    func finish() {
        self.desk.finish()
        self.herald.finish()
    }

    /// The addresses of the target while the head of the request has not arrived; nil after that.
    func targetOfAwaitedHead(_ id: UInt) -> Range<UInt>? {
        self.table.withRequest(id) { $0.hasHead ? nil : $0.place } ?? nil
    }

    private func closing(_ reaction: IncomingRequest.Reaction?, _ id: UInt) -> IncomingRequest.Reaction {
        switch reaction {
        case .read, .ask, .answer, .stream:
            return reaction ?? .read
        case .refuse(var response):
            response.headers.append(("Connection", "close"))
            return .refuse(self.noted(response, id))
        case nil:
            // The request is unknown: the connection was shut down meanwhile.
            return .refuse(ServerResponse(Problem(408, .requestTimeout, "the request took too long; send it again")))
        }
    }

    /// Counts an answer and logs it.
    private func noted(_ response: ServerResponse, _ id: UInt) -> ServerResponse {
        self.noted(response, self.table.takeRecord(id))
    }

    private func noted(
        _ response: ServerResponse, _ asked: (record: RequestRecord, address: ClientAddress)?
    ) -> ServerResponse {
        guard let (record, address) = asked else { return response }
        let time = ContinuousClock.now - record.began
        self.core.metrics.note(
            record.kind, status: response.status, time: time, received: record.received, sent: response.body.count)
        guard let log = self.log else { return response }
        let id = record.id()
        log(
            AccessEntry(
                time: WallClock.microseconds(), id: id, address: address.text, account: response.account,
                method: record.method, kind: record.kind, status: response.status, duration: time,
                received: record.received, sent: response.body.count))
        var response = response
        response.headers.append((RequestRecord.idField, id))
        return response
    }
}

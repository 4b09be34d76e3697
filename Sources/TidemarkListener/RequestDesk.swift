import TidemarkServer

/// Passes complete requests to the core, on worker threads, and returns the answers.
///
/// POSTs wait in one queue, and those that arrived while a transaction ran share the next one. All other work runs in parallel,
/// including the look-up of a token that is not cached, and the compression and decompression of bodies: they may take long, and
/// no POST of another client waits for them. A token is looked up before a body is unpacked.
final class RequestDesk: Sendable {
    typealias Answer = @Sendable (ServerAnswer) -> Void

    private struct Waiting: Sendable {
        let request: AuthorizedRequest
        let answer: Answer
    }

    private let core: ServerCore
    private let settings: ListenerSettings
    private let isFull: @Sendable () -> Bool
    private let writes: Lanes<Waiting>
    private let others: Lanes<@Sendable () -> Void>

    /// - Parameter isFull: Whether the memory for clients is used up, so that no answer may be added.
    init(_ core: ServerCore, settings: ListenerSettings, isFull: @escaping @Sendable () -> Bool) {
        self.core = core
        self.settings = settings
        self.isFull = isFull
        let limits = core.limits
        self.writes = Lanes(
            "commits", count: 1, share: { Self.group(of: $0, limits) },
            work: { group in
                guard !isFull() else { return group.forEach { $0.answer(.whole(.tooBusy(settings))) } }
                core.handle(group.map(\.request)) { group[$0].answer(.whole($1)) }
            })
        self.others = Lanes("answers", count: limits.readers, work: { $0.forEach { $0() } })
    }

    /// Answers a request whose body has arrived.
    ///
    /// - Parameter answer: Gets the answer on some thread, perhaps before this returns.
    func take(_ request: ServerRequest, answer: @escaping Answer) {
        if let response = self.core.answerAtOnce(request) { return answer(.whole(response)) }
        let isPacked = request.header("Content-Encoding") != nil
        guard request.method == "POST" || isPacked && RequestKind(request) != .operations else {
            return self.others.add { self.read(request, answer: answer) }
        }
        if !isPacked, let authorization = self.core.authorizeAtOnce(request) {
            return self.proceed(authorization, isPacked: false, answer: answer)
        }
        self.others.add { self.proceed(self.core.authorize(request), isPacked: isPacked, answer: answer) }
    }

    /// Refuses a request, or answers it with its body unpacked.
    private func proceed(_ authorization: Authorization, isPacked: Bool, answer: @escaping Answer) {
        switch authorization {
        case .refused(let response):
            answer(.whole(response))
        case .authorized(let authorized):
            do throws(Problem) {
                let request = isPacked ? try self.unpacked(authorized) : authorized
                guard request.request.method == "POST" else { return self.read(request.request, answer: answer) }
                self.write(request, answer: answer)
            } catch {
                answer(.whole(ServerResponse(error)))
            }
        }
    }

    private func unpacked(_ authorized: AuthorizedRequest) throws(Problem) -> AuthorizedRequest {
        let request = authorized.request
        return authorized.unpacked(
            try ContentCoding.unpack(
                request.body, coding: request.header("Content-Encoding"), limit: self.core.limits.body))
    }

    /// Waits until all work is done; no request may be added after it.
    func finish() {
        self.others.finish()
        self.writes.finish()
    }

    private func read(_ request: ServerRequest, answer: Answer) {
        guard !self.isFull() else { return answer(.whole(.tooBusy(self.settings))) }
        let made = self.core.answer(request)
        // Events are never compressed: the compressor would delay them.
        guard case .whole(var response) = made else { return answer(made) }
        let isToBePacked = self.isToBePacked(&response, for: request)
        answer(.whole(isToBePacked ? ContentCoding.packed(response) : response))
    }

    private func write(_ request: AuthorizedRequest, answer: @escaping Answer) {
        let waiting = Waiting(request: request) { whole in
            guard case .whole(var response) = whole else { return answer(whole) }
            guard self.isToBePacked(&response, for: request.request) else { return answer(.whole(response)) }
            // The next transaction need not wait for the compression.
            self.others.add { [response] in answer(.whole(ContentCoding.packed(response))) }
        }
        self.writes.add(waiting)
    }

    private func isToBePacked(_ response: inout ServerResponse, for request: ServerRequest) -> Bool {
        ContentCoding.isToBePacked(&response, for: request, from: self.settings.packedFrom)
    }

    /// The number of waiting POSTs that share a transaction.
    private static func group(of waiting: [Waiting], _ limits: ServerLimits) -> Int {
        var bytes = 0
        var count = 0
        while count < min(waiting.count, limits.group), bytes < limits.groupBytes {
            bytes += waiting[count].request.request.body.count
            count += 1
        }
        return count
    }
}

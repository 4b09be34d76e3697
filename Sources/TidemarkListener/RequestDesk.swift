import TidemarkServer

/// Passes complete requests to the core, on worker threads, and returns the answers.
///
/// POSTs wait in one queue, and those that arrived while a transaction ran share the next one. All other work runs in parallel,
/// including the compression and decompression of bodies, which may take long.
final class RequestDesk: Sendable {
    typealias Answer = @Sendable (ServerAnswer) -> Void

    private struct Waiting: Sendable {
        let request: ServerRequest
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
        guard request.header("Content-Encoding") != nil else { return self.takeUnpacked(request, answer: answer) }
        self.others.add {
            do throws(Problem) {
                var unpacked = request
                unpacked.body = try ContentCoding.unpack(
                    request.body, coding: request.header("Content-Encoding"), limit: self.core.limits.body)
                self.takeUnpacked(unpacked, answer: answer)
            } catch {
                answer(.whole(self.core.refusalBeforeBody(of: request) ?? ServerResponse(error)))
            }
        }
    }

    /// Waits until all work is done; no request may be added after it.
    func finish() {
        self.others.finish()
        self.writes.finish()
    }

    private func takeUnpacked(_ request: ServerRequest, answer: @escaping Answer) {
        if let response = self.core.answerAtOnce(request) { return answer(.whole(response)) }
        guard request.method == "POST" else {
            return self.others.add {
                guard !self.isFull() else { return answer(.whole(.tooBusy(self.settings))) }
                let made = self.core.answer(request)
                // Events are never compressed: the compressor would delay them.
                guard case .whole(var response) = made else { return answer(made) }
                let isToBePacked = self.isToBePacked(&response, for: request)
                answer(.whole(isToBePacked ? ContentCoding.packed(response) : response))
            }
        }
        let waiting = Waiting(request: request) { whole in
            guard case .whole(var response) = whole else { return answer(whole) }
            guard self.isToBePacked(&response, for: request) else { return answer(.whole(response)) }
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
            bytes += waiting[count].request.body.count
            count += 1
        }
        return count
    }
}

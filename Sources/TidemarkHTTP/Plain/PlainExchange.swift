internal import Dispatch
internal import Synchronization
internal import TidemarkCore
internal import TidemarkGzip
internal import TidemarkMachine

/// One exchange over a plain connection of its own.
///
/// On Linux `URLSession` ends the whole process when a server closes in the middle of the head of an answer, and keeps a
/// processor busy while it waits. A sync has to survive a cut at any byte (SPEC I10), so `http://` does without it.
final class PlainExchange: Sendable {
    private enum Progress {
        case open
        case waiting(CheckedContinuation<Result<ReceivedReply, RemoteFailure>, Never>)
        case settled
    }

    private let request: PlainRequest
    private let base: String
    private let options: HTTPRemote.Options
    private let progress = Mutex(Progress.open)

    init(_ request: PlainRequest, base: String, options: HTTPRemote.Options) {
        self.request = request
        self.base = base
        self.options = options
    }

    /// Sends the request, and receives the whole answer.
    func run() async throws(RemoteFailure) -> ReceivedReply {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.progress.withLock { $0 = .waiting(continuation) }
                // Cancelled before there was a continuation: the handler found nothing to settle.
                if Task.isCancelled {
                    self.settle(.failure(.cancelled))
                }
                DispatchQueue.global().async { self.settle(self.work()) }
            }
        } onCancel: {
            self.settle(.failure(.cancelled))
        }
        return try result.get()
    }

    private func settle(_ result: Result<ReceivedReply, RemoteFailure>) {
        let progress = self.progress.withLock { progress in
            defer {
                if case .waiting = progress {
                    progress = .settled
                }
            }
            return progress
        }
        if case .waiting(let continuation) = progress {
            continuation.resume(returning: result)
        }
    }

    private var isSettled: Bool {
        self.progress.withLock { if case .settled = $0 { true } else { false } }
    }

    // MARK: On a thread of its own

    private func work() -> Result<ReceivedReply, RemoteFailure> {
        do throws(SocketStream.Fault) {
            let stream = try SocketStream(
                host: self.request.host, port: self.request.port, silence: self.options.silence,
                isStopped: { self.isSettled })
            try stream.send(self.request.bytes)
            return try self.receive(from: stream)
        } catch {
            return .failure(self.failure(error))
        }
    }

    private func receive(from stream: SocketStream) throws(SocketStream.Fault) -> Result<ReceivedReply, RemoteFailure> {
        let start = ContinuousClock.now
        var reader = ResponseReader(limit: self.options.answerLimit)
        do throws(ResponseReader.Fault) {
            while !reader.isComplete {
                guard start.duration(to: .now) <= self.options.exchange else {
                    return .failure(.tooSlow(self.base, self.options.exchange))
                }
                let piece: [UInt8]?
                do throws(SocketStream.Fault) {
                    piece = try stream.receive()
                } catch {
                    return .failure(self.failure(error))
                }
                if let piece {
                    try reader.take(piece)
                } else {
                    try reader.end()
                }
            }
            guard let reply = reader.reply else { throw .brokenOff }
            return .success(try self.unpacked(reply))
        } catch {
            return .failure(self.failure(error))
        }
    }

    private func unpacked(_ reply: ReceivedReply) throws(ResponseReader.Fault) -> ReceivedReply {
        guard let coding = reply.header("Content-Encoding")?.lowercased(), coding != "identity", !reply.body.isEmpty
        else { return reply }
        guard coding == "gzip" || coding == "x-gzip" else { throw .notHTTP }
        var reply = reply
        do throws(GzipError) {
            reply.body = try Gzip.decompress(reply.body, limit: self.options.answerLimit)
        } catch {
            throw error.code == .tooLarge ? .tooLarge : .brokenOff
        }
        return reply
    }

    private func failure(_ fault: SocketStream.Fault) -> RemoteFailure {
        switch fault {
        case .unknownHost: .unknownHost(self.base)
        case .refused: .refused(self.base)
        case .silent: .silent(self.base, self.options.silence)
        case .broken: .brokenOff(self.base)
        case .stopped: .cancelled
        }
    }

    private func failure(_ fault: ResponseReader.Fault) -> RemoteFailure {
        switch fault {
        case .notHTTP: .notHTTP(self.base)
        case .tooLarge: .tooLarge(self.base, self.options.answerLimit)
        case .brokenOff: .brokenOff(self.base)
        }
    }
}

#if !canImport(Darwin)
    import Dispatch
    import Synchronization

    /// One exchange on a separate thread, since libcurl blocks its caller.
    final class CurlExchange: Sendable {
        private enum Progress {
            case open
            case waiting(CheckedContinuation<Result<HTTPAnswer, HTTPFailure>, Never>)
            case settled
        }

        private let call: HTTPCall
        private let line: CurlLine
        private let giveBack: @Sendable () -> Void
        private let progress = Mutex(Progress.open)

        /// - Parameter giveBack: Called when the line is free again.
        init(_ call: HTTPCall, on line: CurlLine, giveBack: @escaping @Sendable () -> Void) {
            self.call = call
            self.line = line
            self.giveBack = giveBack
        }

        /// Sends the request, and receives the whole answer.
        func run() async throws(HTTPFailure) -> HTTPAnswer {
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    self.progress.withLock { $0 = .waiting(continuation) }
                    // If the task was cancelled before there was a continuation, the handler had nothing to settle.
                    if Task.isCancelled {
                        self.settle(.failure(.cancelled))
                    }
                    // A separate queue has a separate thread, while it has work.
                    DispatchQueue(label: "tidemark.exchange").async { self.work() }
                }
            } onCancel: {
                self.settle(.failure(.cancelled))
            }
            return try result.get()
        }

        private func work() {
            let result = self.line.carryOut(self.call) { self.isSettled }
            self.giveBack()
            self.settle(result)
        }

        private func settle(_ result: Result<HTTPAnswer, HTTPFailure>) {
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
    }
#endif

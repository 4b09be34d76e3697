#if canImport(Darwin)
    import Foundation
    import Security
    import Synchronization

    /// Receives answers piece by piece, so that one that is too large or too slow is stopped.
    ///
    /// Each task has a reception until it is settled; the code that removes the reception settles it, so that each is settled
    /// once, whether its end, a limit or a cancellation comes first.
    final class HTTPReceiver: NSObject, Sendable {
        /// By task: the number of a task is unique within its session only. A reception keeps its task alive.
        private let receptions = Mutex<[ObjectIdentifier: HTTPReception]>([:])

        /// The certificates that sign the server's; nil for those of the system.
        private let trusted: TrustedCertificates?

        /// The keys of which the server must have one; nil for any.
        private let pinned: PinnedKeys?

        init(_ trusted: TrustedCertificates?, _ pinned: PinnedKeys?) {
            self.trusted = trusted
            self.pinned = pinned
        }

        /// Runs a task to its end.
        func receive(
            _ task: URLSessionDataTask, for call: HTTPCall
        ) async throws(HTTPFailure) -> HTTPAnswer {
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    self.receptions.withLock {
                        $0[ObjectIdentifier(task)] = HTTPReception(call, task, continuation)
                    }
                    // If the task was cancelled before there was a reception, the handler had nothing to settle.
                    if Task.isCancelled {
                        self.cancel(task)
                    } else {
                        task.resume()
                    }
                }
            } onCancel: {
                self.cancel(task)
            }
            return try result.get()
        }

        private func cancel(_ task: URLSessionTask) {
            self.settle(task, with: .failure(.cancelled))
            task.cancel()
        }

        private func settle(_ task: URLSessionTask, with result: Result<HTTPAnswer, HTTPFailure>) {
            let reception = self.receptions.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
            reception?.continuation.resume(returning: result)
        }
    }

    extension HTTPReceiver: URLSessionDataDelegate {
        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            self.begin(dataTask, response)
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            if let stream = self.receptions.withLock({ $0[ObjectIdentifier(dataTask)]?.stream }) {
                return self.handOver(Array(data), of: dataTask, to: stream)
            }
            guard let failure = self.take(data, of: dataTask) else { return }
            self.settle(dataTask, with: .failure(failure))
            dataTask.cancel()
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            // Not followed: the token is for one origin, and the redirect itself is then the answer.
            self.begin(task, response)
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            // Also called for challenges of the session, since the delegate has no method for them.
            guard self.trusted != nil || self.pinned != nil, let trust = challenge.protectionSpace.serverTrust else {
                return completionHandler(.performDefaultHandling, nil)
            }
            if let trusted = self.trusted, let detail = trusted.fault(of: trust) {
                return self.reject(task, completionHandler) { .notTrusted($0, detail) }
            }
            // The system refuses a certificate that it doesn't trust by itself, with its reason.
            if self.trusted == nil, TrustedCertificates.fault(evaluating: trust) != nil {
                return completionHandler(.performDefaultHandling, nil)
            }
            if let pinned = self.pinned, !pinned.contains(keyOf: trust) {
                return self.reject(task, completionHandler) { .notPinned($0.base) }
            }
            guard self.trusted != nil else { return completionHandler(.performDefaultHandling, nil) }
            completionHandler(.useCredential, URLCredential(trust: trust))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            // Called before the end of the task.
            guard metrics.transactionMetrics.count(where: { $0.requestStartDate != nil }) > 1 else { return }
            self.receptions.withLock { $0[ObjectIdentifier(task)]?.isRepeated = true }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let reception = self.receptions.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
            guard let reception else { return }
            reception.continuation.resume(returning: reception.result(error))
        }

        /// Ends a connection to a server whose certificate is refused.
        private func reject(
            _ task: URLSessionTask,
            _ completionHandler: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
            _ failure: (HTTPCall) -> HTTPFailure
        ) {
            // First, since the end of the task would only report that it was cancelled.
            if let call = self.receptions.withLock({ $0[ObjectIdentifier(task)]?.call }) {
                self.settle(task, with: .failure(failure(call)))
            }
            completionHandler(.cancelAuthenticationChallenge, nil)
        }

        /// Called without the lock, since the receiver may do anything.
        private func handOver(_ piece: [UInt8], of task: URLSessionTask, to stream: AnswerStream) {
            guard !stream.take(piece) else { return }
            let reception = self.receptions.withLock { $0.removeValue(forKey: ObjectIdentifier(task)) }
            if let reception { reception.continuation.resume(returning: reception.enough) }
            task.cancel()
        }

        private func begin(_ task: URLSessionTask, _ response: URLResponse) {
            guard let response = response as? HTTPURLResponse else { return }
            let fields = response.allHeaderFields.compactMap { name, value in
                (name as? String).map { (name: $0, value: "\(value)") }
            }
            guard let call = self.receptions.withLock({ $0[ObjectIdentifier(task)]?.call }) else { return }
            let answer = HTTPAnswer(status: response.statusCode, fields: fields, url: call.url)
            // Asked without the lock, since the caller's closure may do anything.
            let stream = call.stream.flatMap { $0.isStream(answer) ? $0 : nil }
            self.receptions.withLock { $0[ObjectIdentifier(task)]?.begin(answer, stream) }
        }

        /// Handles a piece of a body; returns a failure to end the task, or nil.
        private func take(_ data: Data, of task: URLSessionTask) -> HTTPFailure? {
            self.receptions.withLock { receptions in
                receptions[ObjectIdentifier(task)]?.take(data)
            }
        }
    }
#endif

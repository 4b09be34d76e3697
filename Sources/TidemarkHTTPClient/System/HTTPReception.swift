#if canImport(Darwin)
    import Foundation

    /// One answer in progress, with its waiting caller.
    struct HTTPReception {
        let call: HTTPCall
        private let task: URLSessionTask
        private let start = ContinuousClock.now
        let continuation: CheckedContinuation<Result<HTTPAnswer, HTTPFailure>, Never>
        private var answer: HTTPAnswer?
        /// The body; nil before it begins.
        private var body: ReceivedBody?
        /// The receiver of the body; nil if it is collected here.
        private(set) var stream: AnswerStream?
        /// Whether the session has sent the request again, after a kept connection was lost.
        var isRepeated = false

        init(
            _ call: HTTPCall, _ task: URLSessionTask,
            _ continuation: CheckedContinuation<Result<HTTPAnswer, HTTPFailure>, Never>
        ) {
            self.call = call
            self.task = task
            self.continuation = continuation
        }

        /// Handles the head, and the receiver of the body.
        mutating func begin(_ answer: HTTPAnswer, _ stream: AnswerStream?) {
            self.answer = answer
            self.stream = stream
        }

        /// Handles a piece of the body; returns a failure to end the task, or nil.
        mutating func take(_ data: Data) -> HTTPFailure? {
            // The session only detects silence; a slow drip is not silence.
            guard !self.isLate else { return .tooSlow(self.call.base, self.call.limits.whole) }
            guard let answer = self.answer else { return nil }
            do throws(HTTPFailure) {
                if self.body == nil { self.body = try ReceivedBody(of: answer, for: self.call, isPlain: true) }
                try self.body?.append(Array(data)[...])
                return nil
            } catch {
                return error
            }
        }

        private var isLate: Bool { self.start.duration(to: .now) >= self.call.limits.whole }

        /// The result after the receiver has ended the answer.
        var enough: Result<HTTPAnswer, HTTPFailure> { self.result(nil) }

        /// The result after the task has ended.
        func result(_ error: (any Error)?) -> Result<HTTPAnswer, HTTPFailure> {
            // The second answer would be taken for the first: a change that was applied could count as refused (I11).
            if self.isRepeated, !["GET", "HEAD"].contains(self.call.method) {
                return .failure(.brokenOff(self.call.base))
            }
            if let error = error as? URLError, error.code == .timedOut, self.call.stream == nil, self.isLate {
                return .failure(.tooSlow(self.call.base, self.call.limits.whole))
            }
            if let error {
                return .failure(HTTPFailure(error, call: self.call))
            }
            guard var answer = self.answer else { return .failure(.brokenOff(self.call.base)) }
            do throws(HTTPFailure) {
                answer.body = try self.body?.whole() ?? []
                return .success(answer)
            } catch {
                return .failure(error)
            }
        }
    }
#endif

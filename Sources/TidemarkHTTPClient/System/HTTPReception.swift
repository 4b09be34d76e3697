#if canImport(Darwin)
    import Foundation

    /// One answer in progress, with its waiting caller.
    struct HTTPReception {
        private let call: HTTPCall
        private let start = ContinuousClock.now
        let continuation: CheckedContinuation<Result<HTTPAnswer, HTTPFailure>, Never>
        private var answer: HTTPAnswer?
        /// The receiver of the body; nil if it is collected here.
        private(set) var stream: AnswerStream?

        init(_ call: HTTPCall, _ continuation: CheckedContinuation<Result<HTTPAnswer, HTTPFailure>, Never>) {
            self.call = call
            self.continuation = continuation
        }

        /// Handles the head.
        mutating func begin(status: Int, fields: [(name: String, value: String)]) {
            let answer = HTTPAnswer(status: status, fields: fields, url: self.call.url)
            self.answer = answer
            self.stream = self.call.stream.flatMap { $0.isStream(answer) ? $0 : nil }
        }

        /// Handles a piece of the body; returns a failure to end the task, or nil.
        mutating func take(_ data: Data) -> HTTPFailure? {
            guard data.count <= self.call.limits.answerSize - (self.answer?.body.count ?? 0) else {
                return .tooLarge(self.call.base, self.call.limits.answerSize)
            }
            // The session only detects silence; a slow drip is not silence.
            guard self.start.duration(to: .now) <= self.call.limits.whole else {
                return .tooSlow(self.call.base, self.call.limits.whole)
            }
            self.answer?.body.append(contentsOf: data)
            return nil
        }

        /// The result after the receiver has ended the answer.
        var enough: Result<HTTPAnswer, HTTPFailure> { self.result(nil) }

        /// The result after the task has ended.
        func result(_ error: (any Error)?) -> Result<HTTPAnswer, HTTPFailure> {
            if let error {
                return .failure(HTTPFailure(error, base: self.call.base, silence: self.call.limits.silence))
            }
            guard let answer = self.answer else { return .failure(.brokenOff(self.call.base)) }
            return .success(answer)
        }
    }
#endif

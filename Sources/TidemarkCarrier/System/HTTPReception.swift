#if canImport(Darwin)
    import Foundation

    /// One answer that is on its way, and who waits for it.
    struct HTTPReception {
        private let call: HTTPCall
        private let start = ContinuousClock.now
        let continuation: CheckedContinuation<Result<CarrierAnswer, CarrierFailure>, Never>
        private var answer: CarrierAnswer?
        /// Who takes the body as it comes; nil where it is collected here.
        private(set) var stream: AnswerStream?

        init(_ call: HTTPCall, _ continuation: CheckedContinuation<Result<CarrierAnswer, CarrierFailure>, Never>) {
            self.call = call
            self.continuation = continuation
        }

        /// Takes the head.
        mutating func begin(status: Int, fields: [(name: String, value: String)]) {
            let answer = CarrierAnswer(status: status, fields: fields, url: self.call.url)
            self.answer = answer
            self.stream = self.call.stream.flatMap { $0.isStream(answer) ? $0 : nil }
        }

        /// Takes a piece of the body; returns why no more is wanted, or nil.
        mutating func take(_ data: Data) -> CarrierFailure? {
            guard data.count <= self.call.limits.answerSize - (self.answer?.body.count ?? 0) else {
                return .tooLarge(self.call.base, self.call.limits.answerSize)
            }
            // The session itself only minds silence; a drip is not silent.
            guard self.start.duration(to: .now) <= self.call.limits.whole else {
                return .tooSlow(self.call.base, self.call.limits.whole)
            }
            self.answer?.body.append(contentsOf: data)
            return nil
        }

        /// What it amounts to when who takes the body wants no more of it.
        var enough: Result<CarrierAnswer, CarrierFailure> { self.result(nil) }

        /// What it amounts to when the task has ended.
        func result(_ error: (any Error)?) -> Result<CarrierAnswer, CarrierFailure> {
            if let error {
                return .failure(CarrierFailure(error, base: self.call.base, silence: self.call.limits.silence))
            }
            guard let answer = self.answer else { return .failure(.brokenOff(self.call.base)) }
            return .success(answer)
        }
    }
#endif

#if canImport(Darwin)
    internal import Foundation
    internal import TidemarkCore
    internal import TidemarkMachine

    /// One answer that is on its way, and who waits for it.
    struct HTTPReception {
        let base: String
        let options: HTTPRemote.Options
        let start = ContinuousClock.now
        let continuation: CheckedContinuation<Result<ReceivedReply, RemoteFailure>, Never>
        var reply: ReceivedReply?

        init(
            base: String, options: HTTPRemote.Options,
            continuation: CheckedContinuation<Result<ReceivedReply, RemoteFailure>, Never>
        ) {
            self.base = base
            self.options = options
            self.continuation = continuation
        }

        /// Takes a piece of the body; returns why no more is wanted, or nil.
        mutating func take(_ data: Data) -> RemoteFailure? {
            guard data.count <= self.options.answerLimit - (self.reply?.body.count ?? 0) else {
                return .tooLarge(self.base, self.options.answerLimit)
            }
            // The session itself only minds silence; a drip is not silent.
            guard self.start.duration(to: .now) <= self.options.exchange else {
                return .tooSlow(self.base, self.options.exchange)
            }
            self.reply?.body.append(contentsOf: data)
            return nil
        }

        /// What it amounts to when the task has ended.
        func result(_ error: (any Error)?) -> Result<ReceivedReply, RemoteFailure> {
            if let error {
                return .failure(RemoteFailure(error, base: self.base, silence: self.options.silence))
            }
            guard let reply = self.reply else {
                return .failure(.brokenOff(self.base))
            }
            return .success(reply)
        }
    }
#endif

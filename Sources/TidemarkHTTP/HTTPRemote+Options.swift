import TidemarkHTTPClient

extension HTTPRemote {
    /// Timeouts and size limits of a remote.
    public struct Options: Hashable, Sendable {
        /// The idle timeout of the connection.
        public var silence: Duration

        /// The timeout of one exchange, for an answer that keeps coming, but slowly.
        public var exchange: Duration

        /// The maximum size of an answer in bytes, uncompressed; more is neither received nor held. A page has to fit into it, with
        /// its results.
        public var answerLimit: Int

        /// The minimum size in bytes of a body that is sent as gzip; nil to compress none.
        public var packedFrom: Int?

        /// Makes options; the defaults suit a phone.
        public init(
            silence: Duration = .seconds(60), exchange: Duration = .seconds(600), answerLimit: Int = 128 << 20,
            packedFrom: Int? = 1024
        ) {
            self.silence = silence
            self.exchange = exchange
            self.answerLimit = answerLimit
            self.packedFrom = packedFrom
        }
    }
}

extension HTTPRemote.Options {
    /// These options as limits of the client.
    var limits: HTTPClient.Limits {
        HTTPClient.Limits(
            silence: self.silence, whole: self.exchange, answerSize: self.answerLimit, packedFrom: self.packedFrom)
    }
}

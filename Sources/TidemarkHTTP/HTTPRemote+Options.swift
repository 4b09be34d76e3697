import TidemarkCarrier

extension HTTPRemote {
    /// How patient and how hungry a remote is.
    public struct Options: Hashable, Sendable {
        /// How long nothing may happen on the connection.
        public var silence: Duration

        /// How long one exchange may take when its answer keeps coming, but slowly.
        public var exchange: Duration

        /// How many bytes an answer may have, unpacked; more is not received. A page has to fit into it, with its results.
        public var answerLimit: Int

        /// How many bytes a body needs to be sent as gzip; nil to send all as they are.
        public var packedFrom: Int?

        /// Makes options; everything has a value that suits a phone.
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
    /// The same in the carrier's words.
    var limits: HTTPCarrier.Limits {
        HTTPCarrier.Limits(
            silence: self.silence, whole: self.exchange, answerSize: self.answerLimit, packedFrom: self.packedFrom)
    }
}

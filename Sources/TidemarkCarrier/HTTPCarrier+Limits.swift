extension HTTPCarrier {
    /// How patient and how hungry a carrier is.
    ///
    /// ```swift
    /// let limits = HTTPCarrier.Limits(silence: .seconds(20), answerSize: 8 << 20)
    /// ```
    public struct Limits: Hashable, Sendable {
        /// How long nothing may happen on the connection.
        public var silence: Duration

        /// How long one request may take when its answer keeps coming, but slowly.
        public var whole: Duration

        /// How many bytes an answer may have, unpacked; more is not received.
        public var answerSize: Int

        /// How many bytes the head of an answer may have. `URLSession`, on Apple's systems, has a limit of its own instead.
        public var headSize: Int

        /// How many connections are kept while nobody uses them. `URLSession` decides that by itself.
        public var idleConnections: Int

        /// How many bytes a body needs to be sent as gzip (RFC 9110 §8.4.1); nil to send all as they are, since most servers
        /// that others wrote understand nothing else.
        public var packedFrom: Int?

        /// Makes limits; everything has a value that suits a phone.
        public init(
            silence: Duration = .seconds(60), whole: Duration = .seconds(600), answerSize: Int = 128 << 20,
            headSize: Int = 64 << 10, idleConnections: Int = 4, packedFrom: Int? = nil
        ) {
            self.silence = silence
            self.whole = whole
            self.answerSize = answerSize
            self.headSize = headSize
            self.idleConnections = idleConnections
            self.packedFrom = packedFrom
        }
    }
}

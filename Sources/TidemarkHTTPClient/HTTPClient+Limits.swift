extension HTTPClient {
    /// Timeouts and size limits of a client.
    ///
    /// ```swift
    /// let limits = HTTPClient.Limits(silence: .seconds(20), answerSize: 8 << 20)
    /// ```
    public struct Limits: Hashable, Sendable {
        /// The idle timeout of the connection.
        public var silence: Duration

        /// The timeout of one request, for an answer that keeps coming, but slowly.
        public var whole: Duration

        /// The maximum size of an answer in bytes, uncompressed; more is neither received nor held, and an answer that declares
        /// more is refused at its head.
        public var answerSize: Int

        /// The maximum size of the head of an answer in bytes. `URLSession`, on Apple's systems, has its own limit instead.
        public var headSize: Int

        /// The maximum number of idle connections. `URLSession` ignores it.
        public var idleConnections: Int

        /// The minimum size in bytes of a body that is sent as gzip (RFC 9110 §8.4.1); nil to compress none, since most other
        /// servers do not accept gzip.
        public var packedFrom: Int?

        /// Makes limits; the defaults suit a phone.
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

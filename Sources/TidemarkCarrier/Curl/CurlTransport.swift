#if !canImport(Darwin)
    import CCurl
    import Synchronization

    /// HTTP by libcurl: where there is no `URLSession` of the system, whose stand-in ends the process when a server
    /// closes in the middle of a head, which a sync has to survive (SPEC I10).
    ///
    /// A line is used by one exchange at a time, and kept with its connection for the next one.
    final class CurlTransport: Sendable {
        /// libcurl has to be started once in a process; a static is, whoever comes first.
        private static let isStarted = tidemark_curl_start() == CURLE_OK

        private let idle = Mutex<[CurlLine]>([])

        /// How many lines are kept when nobody uses them.
        private let idleLimit: Int

        init(_ limits: HTTPCarrier.Limits) {
            self.idleLimit = limits.idleConnections
        }

        /// Sends a request and receives the whole answer. A cancelled task ends it at once.
        func receive(_ call: HTTPCall) async throws(CarrierFailure) -> CarrierAnswer {
            guard Self.isStarted, let line = self.idle.withLock({ $0.popLast() }) ?? CurlLine() else {
                throw CarrierFailure(.unreachable, "libcurl could not start. Is there enough memory?")
            }
            return try await CurlExchange(call, on: line) { self.keep(line) }.run()
        }

        private func keep(_ line: CurlLine) {
            self.idle.withLock { idle in
                if idle.count < self.idleLimit {
                    idle.append(line)
                }
            }
        }
    }
#endif

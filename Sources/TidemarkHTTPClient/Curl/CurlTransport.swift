#if !canImport(Darwin)
    import CCurl
    import Synchronization

    /// HTTP by libcurl, for systems without Apple's `URLSession`. The substitute of Foundation ends the process if a server
    /// closes the connection in the middle of a head, which a sync has to survive (I10).
    ///
    /// A line is used by one exchange at a time, and kept with its connection for the next one.
    final class CurlTransport: Sendable {
        /// libcurl has to be started once in a process; a static is initialized once, whichever caller is first.
        private static let isStarted = tidemark_curl_start() == CURLE_OK

        private let idle = Mutex<[CurlLine]>([])

        /// The maximum number of unused lines that are kept.
        private let idleLimit: Int

        init(_ limits: HTTPClient.Limits) {
            self.idleLimit = limits.idleConnections
        }

        /// Sends a request and receives the whole answer. Cancelling the task ends it at once.
        func receive(_ call: HTTPCall) async throws(HTTPFailure) -> HTTPAnswer {
            guard Self.isStarted, let line = self.idle.withLock({ $0.popLast() }) ?? CurlLine() else {
                throw HTTPFailure(.unreachable, "libcurl could not start. Is there enough memory?")
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

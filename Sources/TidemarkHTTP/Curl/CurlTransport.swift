#if !canImport(Darwin)
    internal import CCurl
    internal import Synchronization
    internal import TidemarkCore
    internal import TidemarkMachine

    /// HTTP by libcurl: where there is no `URLSession` of the system, whose stand-in ends the process when a server
    /// closes in the middle of a head, which a sync has to survive (SPEC I10).
    ///
    /// A line is used by one exchange at a time, and kept with its connection for the next one.
    final class CurlTransport: Sendable {
        /// How many lines are kept when nobody uses them.
        private static let idleLimit = 4

        /// libcurl has to be started once in a process; a static is, whoever comes first.
        private static let isStarted = tidemark_curl_start() == CURLE_OK

        private let idle = Mutex<[CurlLine]>([])

        init(_ options: HTTPRemote.Options) {}

        /// Sends a request and receives the whole answer. A cancelled task ends it at once.
        func receive(_ call: HTTPCall) async throws(RemoteFailure) -> ReceivedReply {
            guard Self.isStarted, let line = self.idle.withLock({ $0.popLast() }) ?? CurlLine() else {
                throw RemoteFailure(.offline, "libcurl could not start. Is there enough memory?")
            }
            return try await CurlExchange(call, on: line) { self.keep(line) }.run()
        }

        private func keep(_ line: CurlLine) {
            self.idle.withLock { idle in
                if idle.count < Self.idleLimit {
                    idle.append(line)
                }
            }
        }
    }
#endif

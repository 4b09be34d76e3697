#if !canImport(Darwin)
    import Synchronization

    /// A handle that threads may pass to each other. Its lock is never contended: a line has one user at a time.
    final class CurlLine: Sendable {
        private let handle: Mutex<CurlHandle>

        /// Makes a line; nil if there is no memory for it.
        init?() {
            guard let handle = CurlHandle() else { return nil }
            self.handle = Mutex(handle)
        }

        /// Carries out a call on this thread, and blocks it.
        func carryOut(
            _ call: HTTPCall, isStopped: @escaping @Sendable () -> Bool
        ) -> Result<HTTPAnswer, HTTPFailure> {
            self.handle.withLock { handle in
                let reception = CurlReception(call, isStopped: isStopped)
                return handle.carryOut(call, reception)
            }
        }
    }
#endif

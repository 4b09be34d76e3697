#if !canImport(Darwin)
    import Synchronization

    /// A handle that threads may pass on to each other. Nobody ever waits for the lock: a line has one user at a time.
    final class CurlLine: Sendable {
        private let handle: Mutex<CurlHandle>

        /// Makes a line; nil when there is no memory for it.
        init?() {
            guard let handle = CurlHandle() else { return nil }
            self.handle = Mutex(handle)
        }

        /// Carries out a call on this thread, which waits for it.
        func carryOut(
            _ call: HTTPCall, isStopped: @escaping @Sendable () -> Bool
        ) -> Result<CarrierAnswer, CarrierFailure> {
            self.handle.withLock { handle in
                let reception = CurlReception(call, isStopped: isStopped)
                return handle.carryOut(call, reception)
            }
        }
    }
#endif

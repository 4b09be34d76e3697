import CSystem

#if !canImport(Darwin)
    /// Keeps a signal from ending the process: TLS says goodbye even to a server that is gone, and writing to a
    /// connection that the other side has closed raises `SIGPIPE`.
    enum BrokenPipe {
        /// Does something with that signal held back on this thread, and takes it back when it came.
        static func ignored<Value>(_ body: () -> Value) -> Value {
            var signal = sigset_t()
            var before = sigset_t()
            unsafe sigemptyset(&signal)
            unsafe sigaddset(&signal, SIGPIPE)
            unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
            defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
            let value = body()
            var now = timespec()
            while unsafe sigtimedwait(&signal, nil, &now) == SIGPIPE {}
            return value
        }
    }
#endif

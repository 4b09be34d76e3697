import Dispatch
import Foundation

/// Ctrl-C and the polite kill, as something to wait for.
actor StopSignals {
    private let stream: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    /// From now on these signals no longer end the process by themselves.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.stream = stream
        self.sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.yield(number) }
            source.resume()
            return source
        }
    }

    /// Returns when the first of them has come, or when the task is cancelled.
    func first() async {
        for await _ in self.stream { return }
    }
}

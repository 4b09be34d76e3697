import CSystem
import Dispatch
import Foundation
import Synchronization

/// The descriptor that the signal handler writes to; -1 before it exists.
private let wakePlace = Atomic<Int32>(-1)

/// SIGINT and SIGTERM as an asynchronous wait; and SIGHUP, as a stop signal or as a stream.
///
/// The handler writes to a pipe, and a source reads the pipe: after the handler is installed, no signal is lost. A signal
/// source of Dispatch is installed some time after it is resumed, and loses a signal that arrives before that.
actor StopSignals {
    /// The effect of SIGHUP on the command.
    enum HangUp {
        /// The terminal was closed: SIGHUP stops the command. If it was ignored at the start (nohup), it stays ignored.
        case stops

        /// The administrator asks to reload.
        case isHeard
    }

    private static let stop: UInt8 = 1
    private static let hangUp: UInt8 = 2

    private let stream: AsyncStream<Void>
    /// An element for each SIGHUP, or for several that arrived together.
    nonisolated let hangUps: AsyncStream<Void>
    private let source: any DispatchSourceRead

    /// Installs the handlers: from now on these signals do not end the process; nor does SIGHUP, which a terminal sends when
    /// it is closed.
    init(hangUp meaning: HangUp) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let (hangUps, hangUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pipe = Pipe()
        wakePlace.store(pipe.fileHandleForWriting.fileDescriptor, ordering: .sequentiallyConsistent)
        self.stream = stream
        self.hangUps = hangUps
        self.source = DispatchSource.makeReadSource(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
        // The handler retains the pipe, so that it stays open while signals are awaited.
        self.source.setEventHandler {
            let bytes = pipe.fileHandleForReading.availableData
            if bytes.contains(Self.hangUp) { hangUp.yield() }
            if bytes.contains(Self.stop) { continuation.yield() }
        }
        self.source.resume()
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                var byte = StopSignals.stop
                _ = write(wakePlace.load(ordering: .sequentiallyConsistent), &byte, 1)
            }
        }
        switch meaning {
        case .stops where tidemark_is_ignored(SIGHUP) != 0:
            break
        case .stops:
            signal(SIGHUP) { _ in
                var byte = StopSignals.stop
                _ = write(wakePlace.load(ordering: .sequentiallyConsistent), &byte, 1)
            }
        case .isHeard:
            signal(SIGHUP) { _ in
                var byte = StopSignals.hangUp
                _ = write(wakePlace.load(ordering: .sequentiallyConsistent), &byte, 1)
            }
        }
    }

    /// Returns after the first stop signal, or when the task is cancelled.
    func first() async {
        for await _ in self.stream { return }
    }
}

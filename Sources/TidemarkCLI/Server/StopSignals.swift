import CSystem
import Dispatch
import Foundation
import Synchronization

/// Where the signal handler writes; -1 before there is a place.
private let wakePlace = Atomic<Int32>(-1)

/// Ctrl-C and the polite kill, as something to wait for; and SIGHUP, as one of them or as something to hear of.
///
/// The handler writes to a pipe, and the pipe is read: from the moment it is installed no signal is lost. A signal source
/// of Dispatch is installed some time after it is resumed, and a signal that comes before is.
actor StopSignals {
    /// What a SIGHUP means to the command.
    enum HangUp {
        /// The terminal was closed: it stops the command, unless the command was started to outlive the terminal (nohup), in which
        /// case SIGHUP stays ignored.
        case stops

        /// The administrator asks to reload.
        case isHeard
    }

    private static let stop: UInt8 = 1
    private static let hangUp: UInt8 = 2

    private let stream: AsyncStream<Void>
    /// An element for each SIGHUP, or for several that came at once.
    nonisolated let hangUps: AsyncStream<Void>
    private let source: any DispatchSourceRead

    /// From now on these signals no longer end the process by themselves; nor does SIGHUP, which a terminal sends when it
    /// is closed.
    init(hangUp meaning: HangUp) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let (hangUps, hangUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let pipe = Pipe()
        wakePlace.store(pipe.fileHandleForWriting.fileDescriptor, ordering: .sequentiallyConsistent)
        self.stream = stream
        self.hangUps = hangUps
        self.source = DispatchSource.makeReadSource(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
        // The handler holds the pipe, so that it stays open as long as signals are waited for.
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

    /// Returns when the first of them has come, or when the task is cancelled.
    func first() async {
        for await _ in self.stream { return }
    }
}

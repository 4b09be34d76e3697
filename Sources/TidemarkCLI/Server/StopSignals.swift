import Dispatch
import Foundation
import Synchronization

/// Where the signal handler writes; -1 before there is a place.
private let wakePlace = Atomic<Int32>(-1)

/// Ctrl-C and the polite kill, as something to wait for.
///
/// The handler writes to a pipe, and the pipe is read: from the moment it is installed no signal is lost. A signal source
/// of Dispatch is installed some time after it is resumed, and a signal that comes before is.
actor StopSignals {
    private let stream: AsyncStream<Void>
    private let source: any DispatchSourceRead

    /// From now on these signals no longer end the process by themselves.
    init() {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let pipe = Pipe()
        wakePlace.store(pipe.fileHandleForWriting.fileDescriptor, ordering: .sequentiallyConsistent)
        self.stream = stream
        self.source = DispatchSource.makeReadSource(fileDescriptor: pipe.fileHandleForReading.fileDescriptor)
        // The handler holds the pipe, so that it stays open as long as signals are waited for.
        self.source.setEventHandler {
            _ = pipe.fileHandleForReading.availableData
            continuation.yield()
        }
        self.source.resume()
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                var byte: UInt8 = 1
                _ = write(wakePlace.load(ordering: .sequentiallyConsistent), &byte, 1)
            }
        }
    }

    /// Returns when the first of them has come, or when the task is cancelled.
    func first() async {
        for await _ in self.stream { return }
    }
}

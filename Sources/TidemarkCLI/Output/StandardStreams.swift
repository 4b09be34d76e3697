import Foundation

/// The three streams that every process begins with.
enum StandardStreams {
    /// Puts a place that takes nothing and gives nothing where a stream was closed.
    ///
    /// The next file or connection would get the number of the stream otherwise, and what is said to a person would be
    /// written into it. Reading and writing fail as they did before.
    static func keepPlaces() {
        for (descriptor, wrongWay) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is taken, which is this one.
            _ = open("/dev/null", wrongWay)
        }
    }

    /// Writes to standard error as much as it takes.
    ///
    /// Nobody may be there to read: a full disk, a pipe whose reader went away, a stream that was closed. What was to be
    /// said is lost then; that is no reason to end, and none for a server in the middle of a request least of all.
    static func writeError(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count =
                rest.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) } ?? -1
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

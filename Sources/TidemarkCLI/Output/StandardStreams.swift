import Foundation

/// The three standard streams of a process.
enum StandardStreams {
    /// Opens a descriptor that can be neither read nor written in place of each closed stream.
    ///
    /// Otherwise the next file or connection would get the number of the stream, and messages for the user would be
    /// written to it. Reading and writing still fail.
    static func keepPlaces() {
        for (descriptor, wrongWay) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
        ] where fcntl(descriptor, F_GETFD) < 0 {
            // `open` returns the lowest free number, which is this one.
            _ = open("/dev/null", wrongWay)
        }
    }

    /// Writes to standard error, as far as that is possible.
    ///
    /// Writing can fail: a full disk, a pipe whose reader has ended, a closed stream. Then the text is lost, but the process
    /// does not end, least of all a server in the middle of a request.
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

import Foundation
import Synchronization
import TidemarkListener

/// A file to which a line is added for each request; whoever moves it away says SIGHUP, and a new one is begun.
final class AccessLog: Sendable {
    private let path: String
    private let descriptor: Mutex<Int32>

    /// Opens the file, or makes it; only its owner may read it.
    init(_ path: String) throws(CommandFailure) {
        let descriptor = Self.open(path)
        guard descriptor >= 0 else {
            throw CommandFailure("\(path): no log can be written there: \(String(cString: strerror(errno)))")
        }
        self.path = path
        self.descriptor = Mutex(descriptor)
    }

    deinit { self.descriptor.withLock { _ = close($0) } }

    /// Adds a line. Where the disk is full the line is lost, and the request is not.
    func add(_ entry: AccessEntry) {
        let line = entry.line + [UInt8(ascii: "\n")]
        self.descriptor.withLock { descriptor in
            _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }
    }

    /// ``add(_:)``, for a listener.
    var note: @Sendable (AccessEntry) -> Void { { entry in self.add(entry) } }

    /// Goes on in the file that has the name now; the one that is open stays in use where there can be none.
    func reopen() {
        let next = Self.open(self.path)
        guard next >= 0 else { return }
        self.descriptor.withLock { descriptor in
            close(descriptor)
            descriptor = next
        }
    }

    private static func open(_ path: String) -> Int32 {
        Foundation.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    }
}

import CSystem
import Dispatch

/// Lets processes take turns with a database file that only one of them can have open.
///
/// Two small files are beside the database: `-turn`, a pipe with a name (FIFO), by which a process that waits for the file asks for
/// it; and `-holder`, a line with the process that opened it last. They are never removed: another process may just be using them.
///
/// - A byte in the pipe means that some process waits. It has no other content, so a lost or an additional one does no harm: a process
///   that waits asks again, and one that is asked for nothing opens the file again.
/// - Only the process that has the database open reads the pipe. The bytes of a pipe that no process has open are discarded.
/// - A pipe needs no lock, no port and no network, has a path of any length, and is only open to the user.
package final class DatabaseTurns {
    private let path: String

    /// Calls for each request; nil if it does not listen.
    private var source: (any DispatchSourceRead)?

    /// Makes the pipe of a database, if there is none.
    ///
    /// - Parameter path: The database.
    /// - Throws: `cannotOpen` if the file system, or the sandbox of the process, can't have a pipe, or if another file has its name.
    package init(path: String) throws(DatabaseError) {
        self.path = DatabaseLocation.resolved(path)
        guard unsafe tidemark_make_pipe(Self.pipe(of: self.path)) != 0 else { return }
        let error = tidemark_errno()
        let reason = error == EEXIST ? "another file has this name" : unsafe String(cString: strerror(error))
        throw DatabaseError(
            code: .cannotOpen,
            message: """
                \(Self.pipe(of: path)): this pipe, by which programs ask each other for the database, can't be made: \(reason). \
                Put the database on a local disk, or open it without taking turns.
                """)
    }

    deinit {
        self.stop()
    }

    private static func pipe(of path: String) -> String { "\(path)-turn" }

    private static func line(of path: String) -> String { "\(path)-holder" }
}

// MARK: - Asking

extension DatabaseTurns {
    /// Calls a function when another process asks for the database, until ``stop()``; on another thread.
    package func listen(_ asked: @escaping @Sendable () -> Void) throws(DatabaseError) {
        self.stop()
        let descriptor = unsafe tidemark_open_pipe(Self.pipe(of: self.path))
        guard descriptor >= 0 else {
            throw DatabaseError(path: Self.pipe(of: self.path), systemError: tidemark_errno())
        }
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "tidemark.turns"))
        source.setEventHandler { if tidemark_empty_pipe(descriptor) > 0 { asked() } }
        source.setCancelHandler { tidemark_close(descriptor) }
        source.resume()
        self.source = source
    }

    /// Ends the calls.
    package func stop() {
        self.source?.cancel()
        self.source = nil
    }

    /// Asks the process that has a database open to close it. Does nothing if none takes turns with it.
    package static func ask(for path: String) {
        let descriptor = unsafe tidemark_open_pipe(Self.pipe(of: DatabaseLocation.resolved(path)))
        guard descriptor >= 0 else { return }
        tidemark_ring_pipe(descriptor)
        tidemark_close(descriptor)
    }
}

// MARK: - The holder

extension DatabaseTurns {
    /// The process that opened a database last; it may have closed it since then.
    package struct Holder: Hashable, Sendable {
        /// The number of the process.
        package let process: Int32

        /// The name of its program.
        package let program: String

        /// When it opened the database, since 1970-01-01T00:00:00Z.
        package let since: Duration
    }

    /// Writes that this process has the database open; only the process that has may call it.
    ///
    /// - Throws: `cannotOpen` if another file has the name.
    package func writeHolder() throws(DatabaseError) {
        let path = Self.line(of: self.path)
        guard DatabaseFileMark(path: path)?.isEmpty != false || Self.holder(of: self.path) != nil else {
            throw DatabaseError(
                code: .cannotOpen,
                message:
                    "\(path): another file has this name, which the program that has the database open needs. Move it away."
            )
        }
        let now = DeviceClock.now.components.seconds
        let program = CommandLine.arguments.first.map(Self.name) ?? ""
        unsafe tidemark_write_line(path, "\(getpid()) \(now) \(program)\n")
    }

    /// The last part of the path of a program, without characters that would break a line or a terminal.
    private static func name(of program: String) -> String {
        let last = program.utf8.split(separator: UInt8(ascii: "/")).last ?? [][...]
        return String(decoding: last.filter { 0x21...0x7e ~= $0 }.prefix(Self.longestName), as: UTF8.self)
    }

    private static let longestName = 64

    /// Returns the process that opened a database last; nil if none wrote it, or if the line can't be read.
    package static func holder(of path: String) -> Holder? {
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = unsafe tidemark_read_start(
            Self.line(of: DatabaseLocation.resolved(path)), &bytes, Int32(bytes.count))
        let parts = bytes.prefix(max(Int(count), 0)).split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard parts.count >= 2, let process = Int32(ascii: parts[0]), process > 0, let seconds = Int64(ascii: parts[1]),
            0..<1 << 40 ~= seconds
        else { return nil }
        let program = parts.count > 2 ? Self.name(of: String(decoding: parts[2], as: UTF8.self)) : ""
        return Holder(process: process, program: program, since: .seconds(seconds))
    }
}

extension FixedWidthInteger {
    /// A number in decimal digits.
    fileprivate init?(ascii bytes: ArraySlice<UInt8>) {
        guard let number = Self(String(decoding: bytes, as: UTF8.self)) else { return nil }
        self = number
    }
}

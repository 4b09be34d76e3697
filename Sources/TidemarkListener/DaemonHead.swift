import CMicrohttpd
import CSystem

/// Reads the head of a request from libmicrohttpd, which provides C strings: each ends at the first NUL, and bytes after it are
/// not in the string.
///
/// All strings are in one buffer, in the order of the head, and the library replaced each byte between them by NUL. So the
/// number of bytes between two strings must be that of a line's end; otherwise something was cut off (RFC 9110 §5.5: NUL makes
/// a field invalid). One form is not detected: a NUL and a bare LF look like CR and LF, and both readers end the line there.
enum DaemonHead {
    /// The size of the library's buffer for the head of a request and the list of its fields, in bytes. It is well above the
    /// limits of ``HeadCheck``, so that a head above those is still read, and refused by this server. Strings that are further
    /// apart are not in one buffer.
    static let memory = 128 << 10

    /// The blank after a method or a target.
    private static let blank = 1...1
    /// LF, or CR and LF.
    private static let endOfLine = 1...2
    /// The end of the last line, and the empty line.
    private static let endOfHead = 2...4

    /// A string of the head: its beginning, and its NUL.
    @safe struct Place {
        fileprivate let start: UnsafePointer<CChar>
        fileprivate let end: UnsafePointer<CChar>

        init(_ start: UnsafePointer<CChar>) {
            unsafe self.start = start
            unsafe self.end = start + strlen(start)
        }

        /// A string with stored addresses.
        init?(_ addresses: Range<UInt>) {
            guard let start = unsafe UnsafePointer<CChar>(bitPattern: addresses.lowerBound) else { return nil }
            unsafe self.start = start
            unsafe self.end = start + addresses.count
        }

        var text: String { unsafe String(cString: self.start) }

        /// The addresses of the string, to be stored.
        var addresses: Range<UInt> { unsafe UInt(bitPattern: self.start)..<UInt(bitPattern: self.end) }
    }

    private struct Collected {
        var headers: [(String, String)] = []
        var isWhole = true
        var last: Place?
    }

    /// - Parameters:
    ///   - method: The first string of the head.
    ///   - version: The version.
    ///   - target: The addresses of the target when it was read.
    static func read(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?,
        target: Range<UInt>
    ) -> RequestHead {
        var collected = Collected()
        let first = unsafe method.map { unsafe Place($0) }
        let last = unsafe version.map { unsafe Place($0) }
        if let first, let last, let target = Place(target) {
            collected.isWhole =
                unsafe Self.isCut(first.end, target.start, Self.blank)
                && Self.isCut(target.end, last.start, Self.blank)
        }
        collected.last = last
        unsafe withUnsafeMutablePointer(to: &collected) { list in
            _ = unsafe MHD_get_connection_values(
                connection, .HEADER_KIND,
                { list, _, name, value in
                    if let list = unsafe list?.assumingMemoryBound(to: Collected.self), let name = unsafe name {
                        unsafe DaemonHead.add(name, value, to: &list.pointee)
                    }
                    return .YES
                }, list)
        }
        let size = unsafe tidemark_head_size_of(connection)
        if let first, let last = collected.last, size > 0 {
            if unsafe !Self.isCut(last.end, first.start + size, Self.endOfHead) { collected.isWhole = false }
        }
        return RequestHead(
            method: first?.text ?? "", version: last?.text ?? "", headers: collected.headers, size: size,
            isWhole: collected.isWhole)
    }

    private static func add(
        _ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?, to collected: inout Collected
    ) {
        let name = unsafe Place(name)
        let value = unsafe value.map { unsafe Place($0) }
        if let last = collected.last, unsafe !Self.isCut(last.end, name.start, Self.endOfLine) {
            collected.isWhole = false
        }
        collected.last = value ?? name
        collected.headers.append((name.text, value?.text ?? ""))
    }

    /// Whether the number of bytes between two places of the buffer is allowed there, and all of them are NUL.
    private static func isCut(
        _ start: UnsafePointer<CChar>, _ end: UnsafePointer<CChar>, _ allowed: ClosedRange<Int>
    ) -> Bool {
        let count = unsafe end - start
        // A later version of the library may store its strings elsewhere: then nothing can be concluded.
        guard count > 0, count <= self.memory else { return true }
        guard allowed.contains(count) else { return false }
        return unsafe UnsafeBufferPointer(start: start, count: count).allSatisfy { $0 == 0 }
    }
}

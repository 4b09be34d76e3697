import CMicrohttpd

/// Reads the head of a request from libmicrohttpd, which hands out C strings: each ends with the first NUL, and what
/// stood behind it is seen by nobody.
///
/// They all lie in one buffer, in the order in which they came. So between the end of one and the beginning of the next
/// there may only be what separates lines; anything else was cut off (RFC 9110 §5.5: NUL makes a field invalid).
enum DaemonHead {
    /// How much memory the library takes for the head of a request, and for what it makes of each field. It is well above
    /// the limits of ``HeadCheck``, so that a head that goes over those is still read, and refused in our words. Strings
    /// that are further apart than this are not of one buffer.
    static let memory = 128 << 10

    /// A string of the head: where it begins, and where its NUL is.
    @safe private struct Place {
        let start: UnsafePointer<CChar>
        let end: UnsafePointer<CChar>

        init(_ start: UnsafePointer<CChar>) {
            unsafe self.start = start
            var end = unsafe start
            while unsafe end.pointee != 0 {
                unsafe end += 1
            }
            unsafe self.end = end
        }

        var text: String { unsafe String(cString: self.start) }
    }

    private struct Collected {
        var headers: [(String, String)] = []
        var isWhole = true
        var last: Place?
    }

    /// - Parameters:
    ///   - method: The first string of the head, nil where it is not at hand; then its end is not looked at either.
    ///   - version: Nil where it is not at hand.
    ///   - targetEnd: The address at which the target ended when it was read.
    static func read(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, targetEnd: UInt
    ) -> RequestHead {
        var collected = Collected()
        let first = unsafe version.map { unsafe Place($0) }
        if let first, targetEnd > 0 {
            collected.isWhole = unsafe Self.isEmpty(UnsafePointer(bitPattern: targetEnd), first.start)
        }
        collected.last = first
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
        if let last = collected.last, let method = unsafe method, size > 0 {
            let end = unsafe method + size
            if unsafe !Self.isEmpty(last.end, end) { collected.isWhole = false }
        }
        return RequestHead(
            method: unsafe method.map { unsafe String(cString: $0) } ?? "", version: first?.text ?? "",
            headers: collected.headers, size: size, isWhole: collected.isWhole)
    }

    private static func add(
        _ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?, to collected: inout Collected
    ) {
        let name = unsafe Place(name)
        let value = unsafe value.map { unsafe Place($0) }
        if let last = collected.last, unsafe !Self.isEmpty(last.end, name.start) { collected.isWhole = false }
        collected.last = value ?? name
        collected.headers.append((name.text, value?.text ?? ""))
    }

    /// Whether there is nothing but white space and ends of strings between two places of the buffer.
    private static func isEmpty(_ start: UnsafePointer<CChar>?, _ end: UnsafePointer<CChar>) -> Bool {
        guard let start = unsafe start else { return true }
        let count = unsafe end - start
        // A later version of the library may keep its strings elsewhere: then there is nothing to be told from this.
        guard count > 0, count <= self.memory else { return true }
        return unsafe UnsafeBufferPointer(start: start, count: count).allSatisfy { byte in
            byte == 0 || byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
        }
    }
}

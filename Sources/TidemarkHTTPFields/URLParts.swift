/// The parts of a URL or of a reference, as written (RFC 3986 §3 and §4). Nothing is unescaped.
package struct URLParts: Sendable {
    /// `http`; nil for a reference that is relative to another URL.
    package private(set) var scheme: String?

    /// The part between `//` and the path; nil if there is no `//`.
    package private(set) var authority: URLAuthority?

    package private(set) var path: String

    /// The part after `?`.
    package private(set) var query: String?

    /// The part after `#`.
    package private(set) var fragment: String?

    /// Reads a text; nil unless it is a URL or a reference.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        // A colon after one of the other delimiters belongs to a later part.
        if let end = rest.firstIndex(where: { ":/?#[]@".utf8.contains($0) }), rest[end] == UInt8(ascii: ":") {
            guard Self.isScheme(rest[..<end]) else { return nil }
            self.scheme = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
        }
        self.fragment = Self.cut(&rest, from: UInt8(ascii: "#"))
        self.query = Self.cut(&rest, from: UInt8(ascii: "?"))
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            guard let authority = URLAuthority(rest[..<end]) else { return nil }
            self.authority = authority
            rest = rest[end...]
        }
        self.path = String(rest) ?? ""
    }

    /// Returns the URL of a reference relative to this URL (RFC 3986 §5.2).
    package func resolve(_ reference: URLParts) -> URLParts {
        guard reference.scheme == nil else { return reference }
        var target = reference
        target.scheme = self.scheme
        guard reference.authority == nil else { return target }
        target.authority = self.authority
        if reference.path.isEmpty {
            target.path = self.path
            target.query = reference.query ?? self.query
        } else if reference.path.utf8.first == UInt8(ascii: "/") {
            target.path = Self.withoutDots(reference.path)
        } else {
            let folder = self.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { self.path[...$0] } ?? "/"
            target.path = Self.withoutDots(folder + reference.path)
        }
        return target
    }

    /// This URL without a name and a password, which must not be printed.
    package var withoutUserInfo: URLParts {
        var parts = self
        parts.authority = self.authority?.withoutUserInfo
        return parts
    }

    /// The text of the URL; characters that are not allowed in its path, query or fragment are escaped.
    package var text: String {
        var text = self.scheme.map { "\($0):" } ?? ""
        if let authority = self.authority { text += "//\(authority.text)" }
        text += URLEscapes.path.applied(to: self.path)
        if let query = self.query { text += "?\(URLEscapes.query.applied(to: query))" }
        if let fragment = self.fragment { text += "#\(URLEscapes.query.applied(to: fragment))" }
        return text
    }

    /// Removes and returns the part from the first such byte on.
    private static func cut(_ text: inout Substring.UTF8View, from byte: UInt8) -> String? {
        guard let start = text.firstIndex(of: byte) else { return nil }
        defer { text = text[..<start] }
        return String(text[text.index(after: start)...])
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        text.first.map(URLEscapes.isLetter) ?? false
            && text.allSatisfy { URLEscapes.isLetter($0) || URLEscapes.isDigit($0) || "+-.".utf8.contains($0) }
    }

    /// Returns a path that begins with a slash without the steps `.` and `..` (RFC 3986 §5.2.4). Slashes are found by byte, so
    /// that a combining mark after a slash does not hide it.
    private static func withoutDots(_ path: String) -> String {
        var kept: [Substring] = []
        let steps = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        var isFolder = false
        for step in steps.map({ Substring($0) }) {
            isFolder = step == "." || step == ".."
            if step == ".." {
                _ = kept.popLast()
            } else if step != "." {
                kept.append(step)
            }
        }
        // Such a step at the end leads to a folder.
        if isFolder { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }
}

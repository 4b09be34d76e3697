/// What a URL, or a reference to one, is made of, as it is written (RFC 3986 §3 and §4). Nothing is unescaped.
package struct URLParts: Sendable {
    /// `http`; nil for a reference that is relative to another URL.
    package private(set) var scheme: String?

    /// What stands between `//` and the path; nil where there is no `//`.
    package private(set) var authority: URLAuthority?

    package private(set) var path: String

    /// What stands behind `?`.
    package private(set) var query: String?

    /// What stands behind `#`.
    package private(set) var fragment: String?

    /// Reads a text; nil when it is neither a URL nor a reference to one.
    package init?(_ text: String) {
        var rest = text.utf8[...]
        // A colon behind one of the others belongs to what they begin.
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

    /// The URL that a reference means, where this is what it is relative to (RFC 3986 §5.2).
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

    /// The same without a name and a password, which are not to be printed.
    package var withoutUserInfo: URLParts {
        var parts = self
        parts.authority = self.authority?.withoutUserInfo
        return parts
    }

    /// The text of it; what a URL can't have in its path, its query or its fragment is escaped.
    package var text: String {
        var text = self.scheme.map { "\($0):" } ?? ""
        if let authority = self.authority { text += "//\(authority.text)" }
        text += URLEscapes.path.applied(to: self.path)
        if let query = self.query { text += "?\(URLEscapes.query.applied(to: query))" }
        if let fragment = self.fragment { text += "#\(URLEscapes.query.applied(to: fragment))" }
        return text
    }

    /// Takes off what begins with the first such byte.
    private static func cut(_ text: inout Substring.UTF8View, from byte: UInt8) -> String? {
        guard let start = text.firstIndex(of: byte) else { return nil }
        defer { text = text[..<start] }
        return String(text[text.index(after: start)...])
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        text.first.map(URLEscapes.isLetter) ?? false
            && text.allSatisfy { URLEscapes.isLetter($0) || URLEscapes.isDigit($0) || "+-.".utf8.contains($0) }
    }

    /// A path that begins with a slash without the steps `.` and `..` (RFC 3986 §5.2.4). A slash is a byte: a mark that joins the
    /// letter before it, and stands behind one, does not hide it.
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

/// The path of one value inside a JSON document (RFC 6901).
///
/// Two pointers are equal if their code points are equal; they sort by the UTF-8 bytes of their text, which is the
/// order of a canonical patch (Contract §4).
///
/// ```swift
/// let pointer = try JSONPointer(parsing: "/tags/0")
/// document[pointer: pointer]              // the first tag, or nil
/// JSONPointer.root.appending("a/b").text  // "/a~1b"
/// ```
public struct JSONPointer: Sendable, Hashable {
    /// The whole document: the empty text.
    public static let root = JSONPointer(spelling: "")

    /// The text, by its code points: each step follows a `/`. The text is the only storage, so one more step costs a few bytes.
    private let spelling: CodePointString

    private init(spelling: String) {
        self.spelling = CodePointString(spelling)
    }

    /// Makes a pointer from checked text.
    init(checkedText: String) {
        self.init(spelling: checkedText)
    }

    /// Makes a pointer from the bytes of checked text.
    init(utf8: [UInt8]) {
        self.init(spelling: String(decoding: utf8, as: UTF8.self))
    }

    /// Makes a pointer with one more step than a text; the bytes of the name are copied unless they need escapes.
    init(_ text: UnsafeBufferPointer<UInt8>, step name: UnsafeBufferPointer<UInt8>) {
        guard unsafe !JSONPointer.mustBeEscaped(name) else {
            var bytes = unsafe Array(text)
            bytes.append(UInt8(ascii: "/"))
            unsafe JSONPointer.writeEscaped(name, to: &bytes)
            self.init(utf8: bytes)
            return
        }
        let spelling = unsafe String(unsafeUninitializedCapacity: text.count + 1 + name.count) { room in
            let slash = unsafe room.initialize(fromContentsOf: text)
            unsafe room[slash] = UInt8(ascii: "/")
            return unsafe room[(slash + 1)...].initialize(fromContentsOf: name)
        }
        self.init(spelling: spelling)
    }

    /// Makes a pointer from member names and array indexes, without escapes.
    public init(tokens: some Sequence<String>) {
        self.init(spelling: tokens.reduce(into: "") { $0 += "/" + JSONPointer.escaped($1) })
    }

    /// One name for each step from the root, with `~0` and `~1` decoded as `~` and `/`.
    public var tokens: [String] {
        var tokens: [String] = []
        var rest = self.text.utf8.dropFirst()
        guard !self.isRoot else { return tokens }
        while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            tokens.append(JSONPointer.unescaped(Substring(rest[..<slash])))
            rest = rest[rest.index(after: slash)...]
        }
        tokens.append(JSONPointer.unescaped(Substring(rest)))
        return tokens
    }

    /// The number of steps, counted without decoding them.
    package var depth: Int {
        var text = self.text
        return text.withUTF8 { unsafe $0.reduce(0) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 } }
    }

    /// The pointer's text as in RFC 6901, for example `/a~1b/0`.
    public var text: String { self.spelling.value }

    /// Whether it names the whole document.
    public var isRoot: Bool { self.text.isEmpty }

    /// The name of the last step; nil for the root.
    public var lastToken: String? {
        self.text.utf8.lastIndex(of: UInt8(ascii: "/")).map { slash in
            JSONPointer.unescaped(Substring(self.text.utf8[slash...].dropFirst()))
        }
    }

    /// The pointer of the object or array that contains this value; nil for the root.
    public var parent: JSONPointer? {
        self.text.utf8.lastIndex(of: UInt8(ascii: "/")).map { JSONPointer(spelling: String(self.text[..<$0])) }
    }

    /// Returns the pointer one step down: to the member `token`, or to the element if `token` is an index.
    public func appending(_ token: String) -> JSONPointer {
        var spelling = self.text
        spelling += "/"
        spelling += JSONPointer.escaped(token)
        return JSONPointer(spelling: spelling)
    }

    /// Returns the pointer one step down, to a member of an object on a tape.
    func appending(key node: TapeNode, of view: TapeView) -> JSONPointer {
        guard !node.has(TapeNode.Flag.escapes) else { return self.appending(view.string(node)) }
        var text = self.text
        return text.withUTF8 { unsafe JSONPointer($0, step: view.source(node)) }
    }

    /// Returns a pointer with the steps of this one, then those of `other`.
    public func appending(_ other: JSONPointer) -> JSONPointer {
        JSONPointer(spelling: self.text + other.text)
    }

    /// Returns whether `other` names the same path or one below it.
    public func isPrefix(of other: JSONPointer) -> Bool {
        // Each step starts with one "/", and inside a step it is escaped, so comparing the text is enough.
        let mine = self.text.utf8
        let theirs = other.text.utf8
        guard theirs.starts(with: mine) else { return false }
        return theirs.count == mine.count || theirs.dropFirst(mine.count).first == UInt8(ascii: "/")
    }
}

extension JSONPointer: Comparable {
    /// Whether the text of the first pointer comes before that of the second, by UTF-8 bytes.
    public static func < (left: JSONPointer, right: JSONPointer) -> Bool { left.spelling < right.spelling }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer's text.
    public var description: String { self.text }
}

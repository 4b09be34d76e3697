/// The place of one value inside a JSON document, after RFC 6901.
///
/// Two pointers are equal if their code points are equal; they sort by the UTF-8 bytes of their text, which is the
/// order of a canonical patch (SPEC §4).
///
/// ```swift
/// let pointer = try JSONPointer(parsing: "/tags/0")
/// document[pointer: pointer]              // the first tag, or nil
/// JSONPointer.root.appending("a/b").text  // "/a~1b"
/// ```
public struct JSONPointer: Sendable, Hashable {
    /// The whole document: the empty text.
    public static let root = JSONPointer(spelling: "")

    /// The text, by its code points: each step after a `/`. It says all, and a step more is a few bytes more.
    private let spelling: CodePointString

    private init(spelling: String) {
        self.spelling = CodePointString(spelling)
    }

    /// Takes a text that was checked.
    init(checkedText: String) {
        self.init(spelling: checkedText)
    }

    /// Takes the bytes of a text that is a pointer's.
    init(utf8: [UInt8]) {
        self.init(spelling: String(decoding: utf8, as: UTF8.self))
    }

    /// The text of a pointer and one step more; the bytes of a name are copied where they are the step.
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

    /// Makes a pointer of member names and array indices as they are, unescaped.
    public init(tokens: some Sequence<String>) {
        self.init(spelling: tokens.reduce(into: "") { $0 += "/" + JSONPointer.escaped($1) })
    }

    /// One name for each step from the root, with `~0` and `~1` already read as `~` and `/`.
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

    /// How many steps there are; nothing is taken apart for it.
    package var depth: Int {
        var text = self.text
        return text.withUTF8 { unsafe $0.reduce(0) { $1 == UInt8(ascii: "/") ? $0 + 1 : $0 } }
    }

    /// The pointer's text as RFC 6901 writes it, for example `/a~1b/0`.
    public var text: String { self.spelling.value }

    /// Whether it names the whole document.
    public var isRoot: Bool { self.text.isEmpty }

    /// The name of the last step; nil for the root.
    public var lastToken: String? {
        self.text.utf8.lastIndex(of: UInt8(ascii: "/")).map { slash in
            JSONPointer.unescaped(Substring(self.text.utf8[slash...].dropFirst()))
        }
    }

    /// The pointer of the object or array this one's value lies in; nil for the root.
    public var parent: JSONPointer? {
        self.text.utf8.lastIndex(of: UInt8(ascii: "/")).map { JSONPointer(spelling: String(self.text[..<$0])) }
    }

    /// One step further down: to the member `token`, or to the element when `token` is an index.
    public func appending(_ token: String) -> JSONPointer {
        var spelling = self.text
        spelling += "/"
        spelling += JSONPointer.escaped(token)
        return JSONPointer(spelling: spelling)
    }

    /// One step further down, to a member of an object on a tape.
    func appending(key node: TapeNode, of view: TapeView) -> JSONPointer {
        guard !node.has(TapeNode.Flag.escapes) else { return self.appending(view.string(node)) }
        var text = self.text
        return text.withUTF8 { unsafe JSONPointer($0, step: view.source(node)) }
    }

    /// The steps of `other` after the steps of this one.
    public func appending(_ other: JSONPointer) -> JSONPointer {
        JSONPointer(spelling: self.text + other.text)
    }

    /// Whether `other` names this very place or one below it.
    public func isPrefix(of other: JSONPointer) -> Bool {
        // One "/" starts every step and is escaped inside of them, so that text alone decides.
        let mine = self.text.utf8
        let theirs = other.text.utf8
        guard theirs.starts(with: mine) else { return false }
        return theirs.count == mine.count || theirs.dropFirst(mine.count).first == UInt8(ascii: "/")
    }
}

extension JSONPointer: Comparable {
    /// Whether the first one's text comes before the second one's, by UTF-8 bytes.
    public static func < (left: JSONPointer, right: JSONPointer) -> Bool { left.spelling < right.spelling }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer's text.
    public var description: String { self.text }
}

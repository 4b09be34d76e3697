import CYajl
import TidemarkJSON

/// Finds elements in the tokens that yajl reports.
///
/// yajl checks the grammar and finds the ends of tokens; only white space, a comma or a colon can be between two of them, so the
/// end of one token is enough to find the start of the next one. The text of an element is cut out of the buffer between two
/// such ends, and parsed by ``JSON``: yajl alone would lose the spelling of strings, and accepts invalid UTF-8 and unpaired
/// surrogates. Strings outside of the elements are checked here for the same two errors.
@safe struct TokenWalk {
    /// Why the walk stopped, if yajl found no error.
    struct Stop {
        let code: JSONError.Code
        let message: String
        let offset: Int
        var pointer: String?
    }

    /// An open bracket that is not part of an element.
    struct Bracket {
        let isObject: Bool
        let offset: Int
        /// Computed before its text is dropped.
        var place: TextPlace?
        /// How many of its values have ended.
        var count = 0
    }

    /// An element of the last piece.
    struct Element {
        /// From the checkpoint before it to its end.
        let range: Range<Int>
        /// Its key; nil if the elements are not the values of members.
        let key: String?
    }

    /// yajl; see ``TokenParser``.
    private let handle: yajl_handle
    private let limits: JSON.Limits
    private let isSequence: Bool

    /// The steps to the array or the object of the elements, decoded; nil if none is searched.
    private let path: [[UInt8]]?
    private let pathText: String
    /// Whether the elements are the values of an object.
    private let isOfMembers: Bool

    /// The key of the next element, or of the one that is being read.
    private var memberKey: String?

    /// How many brackets, from the outermost one, are on that path.
    private var bracketsOnPath = 0
    /// Whether the key before the next value is a step of the path.
    private var isKeyOnPath = false
    private(set) var hasFoundElements = false

    private var depth = 0
    /// The number of brackets around an element; -1 outside of the array or object.
    private var elementDepth = -1
    private var isInElement = false
    /// Whether the last value of a sequence was a scalar.
    private var isAfterScalar = false

    private(set) var stop: Stop?
    var brackets: [Bracket] = []

    /// The end of the last token, or of the white space and the separator after it.
    private(set) var checkpoint = 0
    /// The end of the last number outside of the elements.
    private(set) var numberEnd = -1
    /// The tokens that may come at the checkpoint.
    private(set) var expected: FaultFinder.Expected

    /// The elements of the last piece.
    var elements: [Element] = []

    /// The keys of the open objects; nil if repeated keys are not searched.
    private(set) var keys: SeenKeys?

    /// The bytes in memory, while a piece is read; the first one has the offset `inputStart`.
    private var input: UnsafeBufferPointer<UInt8>
    private var inputStart = 0
    private var pieceStart = 0

    init(_ kind: JSONStreamContent.Kind, limits: JSON.Limits, _ handle: yajl_handle) {
        unsafe self.handle = handle
        self.limits = limits
        self.isSequence = kind == .values
        switch kind {
        case .array(let pointer), .members(let pointer):
            (self.path, self.pathText) = (pointer.tokens.map { Array($0.utf8) }, pointer.text)
        case .automatic, .values, .nothing:
            (self.path, self.pathText) = (nil, "")
        }
        if case .members = kind { self.isOfMembers = true } else { self.isOfMembers = false }
        if case .values = kind { self.elementDepth = 0 }
        if case .nothing = kind { self.keys = SeenKeys() }
        self.expected = kind == .values ? .anotherValueOrNothing : .value
        unsafe self.input = UnsafeBufferPointer(start: nil, count: 0)
    }

    /// The tokens that may come after a value that is in no bracket.
    var afterRoot: FaultFinder.Expected { self.isSequence ? .anotherValueOrNothing : .nothing }

    /// Begins with a piece of the text: yajl reads it next.
    ///
    /// - Parameters:
    ///   - piece: The offsets of the piece.
    ///   - input: The bytes from the checkpoint at least, to the end of the piece at least.
    ///   - inputStart: The offset of the first of them.
    mutating func begin(_ piece: Range<Int>, of input: UnsafeBufferPointer<UInt8>, from inputStart: Int) {
        unsafe self.input = input
        (self.inputStart, self.pieceStart) = (inputStart, piece.lowerBound)
    }

    /// Ends the text at an offset, after yajl has.
    ///
    /// - Parameter isComplete: Whether yajl found a whole text.
    /// - Returns: False if there is an error.
    mutating func complete(at end: Int, isComplete: Bool) -> Bool {
        guard self.stop == nil else { return false }
        self.passSeparators(upTo: end)
        // yajl accepts an unclosed string after a value, and no sequence without values.
        switch self.expected {
        case .anotherValueOrNothing: return self.checkpoint == end
        case .nothing: return isComplete && self.checkpoint == end && self.hasElements(at: end)
        case .value, .valueOrEnd, .key, .keyOrEnd, .colon, .commaOrEnd: return false
        }
    }

    private mutating func hasElements(at end: Int) -> Bool {
        guard self.path != nil, !self.hasFoundElements else { return true }
        return self.fail(
            .pointer,
            "the text has no \(self.isOfMembers ? "object" : "array") at “\(self.pathText)”; check the pointer",
            at: end,
            pointer: self.pathText)
    }

    // MARK: Tokens

    mutating func number() -> Bool {
        guard !self.isInElement else { return true }
        self.numberEnd = self.end
        return self.scalar()
    }

    mutating func scalar() -> Bool {
        guard !self.isInElement else { return true }
        guard self.isAfterSpace else { return false }
        let end = self.end
        if self.depth == self.elementDepth {
            guard self.isSeparate(isScalar: true) else { return false }
            self.elements.append(Element(range: self.checkpoint..<end, key: self.memberKey))
        } else if self.isOnPath, self.brackets.count == self.path?.count {
            return self.failAtElements("a single value")
        }
        self.endValue(at: end)
        return true
    }

    mutating func string() -> Bool {
        if !self.isInElement, self.depth != self.elementDepth, !self.isStringRight(upTo: self.end) { return false }
        return self.scalar()
    }

    mutating func key(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !self.isInElement else { return true }
        let end = self.end
        guard self.isAfterSpace, self.isStringRight(upTo: end) else { return false }
        if let path, self.bracketsOnPath == self.brackets.count {
            self.isKeyOnPath = unsafe path[self.bracketsOnPath - 1].elementsEqual(key)
        }
        if self.isOfMembers, self.depth == self.elementDepth {
            self.memberKey = unsafe String(decoding: key, as: UTF8.self)
        }
        let start = self.tokenStart
        unsafe self.keys?.note(key, at: start)
        self.checkpoint = end
        self.expected = .colon
        return true
    }

    mutating func open(isObject: Bool) -> Bool {
        let end = self.end
        guard self.depth - (self.isInElement ? self.elementDepth : 0) < self.limits.nestingDepth else {
            return self.fail(
                .nesting,
                "arrays and objects are nested more than \(self.limits.nestingDepth) deep; flatten the value or raise"
                    + " JSON.Limits.nestingDepth", at: end - 1)
        }
        if !self.isInElement {
            guard self.isAfterSpace else { return false }
            if self.depth == self.elementDepth {
                guard self.isSeparate(isScalar: false) else { return false }
                self.isInElement = true
            } else {
                guard self.openOutside(isObject: isObject, end) else { return false }
            }
        }
        self.depth += 1
        return true
    }

    mutating func close() -> Bool {
        self.depth -= 1
        guard self.isInElement else {
            guard self.isAfterSpace else { return false }
            if self.depth < self.elementDepth { self.elementDepth = -1 }
            if self.brackets.removeLast().isObject { self.keys?.close() }
            self.bracketsOnPath = min(self.bracketsOnPath, self.brackets.count)
            self.endValue(at: self.end)
            return true
        }
        if self.depth == self.elementDepth {
            let end = self.end
            self.isInElement = false
            self.elements.append(Element(range: self.checkpoint..<end, key: self.memberKey))
            self.endValue(at: end)
        }
        return true
    }

    // MARK: Their meaning. A function that is called for most tokens is inlined: it would get a copy of all variables.

    private var end: Int {
        @inline(__always) get { unsafe self.pieceStart + yajl_get_bytes_consumed(self.handle) }
    }

    private mutating func openOutside(isObject: Bool, _ end: Int) -> Bool {
        if self.isOnPath {
            if self.brackets.count == self.path?.count {
                guard isObject == self.isOfMembers else {
                    return self.failAtElements(isObject ? "an object" : "an array")
                }
                guard !self.hasFoundElements else {
                    return self.fail(
                        .shape,
                        "“\(self.pathText)” comes twice, and the elements of the first one were returned; remove one",
                        at: self.tokenStart)
                }
                self.hasFoundElements = true
                self.elementDepth = self.depth + 1
            } else {
                self.bracketsOnPath += 1
            }
        }
        self.brackets.append(Bracket(isObject: isObject, offset: end - 1))
        if isObject { self.keys?.open() }
        self.isKeyOnPath = false
        self.checkpoint = end
        self.expected = isObject ? .keyOrEnd : .valueOrEnd
        return true
    }

    /// Whether the next value is on the path to the array.
    private var isOnPath: Bool {
        @inline(__always) get {
            guard let path, self.bracketsOnPath == self.brackets.count else { return false }
            guard let bracket = self.brackets.last else { return true }
            return bracket.isObject
                ? self.isKeyOnPath : path[self.brackets.count - 1].elementsEqual(String(bracket.count).utf8)
        }
    }

    private mutating func endValue(at end: Int) {
        self.checkpoint = end
        guard let last = self.brackets.indices.last else {
            self.expected = self.afterRoot
            return
        }
        self.brackets[last].count += 1
        self.expected = .commaOrEnd
    }

    /// Whether white space is between two values of a sequence, unless the first one ends in a bracket, or both are in an array.
    private mutating func isSeparate(isScalar: Bool) -> Bool {
        defer { self.isAfterScalar = isScalar }
        guard self.isSequence, self.isAfterScalar, self.tokenStart == self.checkpoint, self.checkpoint > 0 else {
            return true
        }
        return self.fail(
            .trailing, "two values need white space between them; put each on its own line", at: self.checkpoint)
    }

    /// Whether a string outside of the elements is valid UTF-8 with paired surrogates.
    @inline(__always)
    private func isStringRight(upTo end: Int) -> Bool {
        let text = unsafe UnsafeBufferPointer(
            rebasing: self.input[(self.tokenStart - self.inputStart)..<(end - self.inputStart)])
        // Nearly every string; yajl refuses control characters in it.
        if unsafe JSONString.isPlain(text) { return true }
        guard unsafe (try? TextCheck.check(text, limits: JSON.Limits(bytes: .max))) != nil else { return false }
        let source = unsafe UnsafeBufferPointer(rebasing: text.dropFirst().dropLast())
        return unsafe !source.contains(UInt8(ascii: "\\")) || JSONString.isWellFormed(source)
    }

    /// Whether only white space of JSON is before the token; yajl accepts two more control characters.
    private var isAfterSpace: Bool {
        @inline(__always) get {
            let byte = unsafe self.input[self.tokenStart - self.inputStart]
            return byte != 0x0B && byte != 0x0C
        }
    }

    private mutating func failAtElements(_ found: String) -> Bool {
        let place = self.pathText.isEmpty ? "the text" : "“\(self.pathText)”"
        let wanted = self.isOfMembers ? "members of an object" : "elements of an array"
        return self.fail(
            .shape,
            "\(place) is \(found), and the \(wanted) were requested; name the \(self.isOfMembers ? "object" : "array") by its"
                + " pointer", at: self.tokenStart, pointer: self.pathText)
    }

    private mutating func fail(_ code: JSONError.Code, _ message: String, at offset: Int, pointer: String? = nil)
        -> Bool
    {
        self.stop = Stop(code: code, message: message, offset: offset, pointer: pointer)
        return false
    }

    // MARK: Between tokens

    /// Whether the byte is white space or a separator.
    static func isSeparator(_ byte: UInt8) -> Bool {
        TokenWalk.isSpace(byte) || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":")
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// The start of the token whose end was reported, or which is incomplete.
    private var tokenStart: Int {
        @inline(__always) get {
            var offset = self.checkpoint
            while unsafe offset - self.inputStart < self.input.count
                && TokenWalk.isSeparator(self.input[offset - self.inputStart])
            {
                offset += 1
            }
            return offset
        }
    }

    /// Moves the checkpoint over white space and a separator that yajl has accepted, so that they need no memory.
    mutating func passSeparators(upTo end: Int) {
        while self.checkpoint < end {
            let byte = unsafe self.input[self.checkpoint - self.inputStart]
            guard TokenWalk.isSeparator(byte) else { return }
            if byte == UInt8(ascii: ",") {
                self.expected = self.brackets.last?.isObject == true ? .key : .value
            } else if byte == UInt8(ascii: ":") {
                self.expected = .value
            }
            self.checkpoint += 1
            self.isAfterScalar = false
        }
    }
}

public import TidemarkJSON

/// Reads JSON that arrives in pieces: each element is returned as soon as it is whole.
///
/// One chunk and one element are in memory, whatever the size of the text. The reader is as strict as `JSON(parsing:)`, and its
/// errors have the line and the column in the whole text.
///
/// ```swift
/// let reader = JSONStreamReader()
/// for chunk in ["[{\"id\": 1},", " {\"id\": 2.", "50}]"] {
///     reader.feed(chunk.utf8)
///     while let element = try reader.next() {
///         print(element.line, element.value["id"]?.text ?? "")        // 1 1, then 1 2.50
///     }
/// }
/// reader.finish()
/// guard try reader.next() == nil else { preconditionFailure() }       // an error if the text was cut off
/// ```
///
/// ``JSONElements`` does the same for an asynchronous sequence of chunks.
public final class JSONStreamReader {
    /// How many bytes yajl reads at a time: the elements in them are found at once.
    private static let pieceSize = 1 << 16

    private let content: JSONStreamContent
    private let limits: JSON.Limits

    /// Nil until the first byte that is not white space.
    private var parser: TokenParser?

    /// The bytes in memory; the first one has the offset `bufferStart`.
    private var buffer: [UInt8] = []
    private var bufferStart = 0
    /// The offset of the bytes that yajl has not read.
    private var unread = 0
    /// The bytes before it are not needed any more.
    private var place = TextPlace.start

    /// How many elements of the last piece were returned.
    private var returned = 0
    private var hasStopped = false
    private var failure: JSONError?
    private var repeatedKeys: [JSON.Warning] = []

    /// Whether ``finish()`` was called.
    public private(set) var isFinished = false

    /// Whether the whole text was read.
    private var isComplete = false

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - content: The values to return.
    ///   - limits: The maximum size and depth of one element. In a text of any size, these are not limits of the text.
    public init(_ content: JSONStreamContent = .automatic, limits: JSON.Limits = .default) {
        self.content = content
        self.limits = limits
    }

    /// Adds the next bytes of the text. Call ``next()`` until it returns nil, then add more.
    ///
    /// The bytes are copied: chunks of some 100 KiB keep the memory small and are fast.
    public func feed(_ bytes: some Collection<UInt8>) {
        precondition(!self.isFinished, "feed() was called after finish()")
        let used = self.place.byteOffset - self.bufferStart
        self.buffer.removeFirst(used)
        self.bufferStart += used
        self.buffer.append(contentsOf: bytes)
    }

    /// Ends the text. Afterwards ``next()`` returns the remaining elements, and throws if the text ends too soon.
    public func finish() {
        self.isFinished = true
    }

    /// Returns the next element; nil if it needs more bytes or, after ``finish()``, at the end.
    ///
    /// - Throws: The first error of the text, after the elements before it, and again in each later call.
    public func next() throws(JSONError) -> JSONStreamElement? {
        if let failure { throw failure }
        do throws(JSONError) {
            return try self.element()
        } catch {
            self.failure = error
            throw error
        }
    }

    /// The repeated keys of a text without elements: the first ones, and one warning about all others.
    package var warnings: [JSON.Warning] {
        guard let count = self.parser?.walk.keys?.repeatedCount, let last = self.repeatedKeys.last,
            self.repeatedKeys.count > JSON.Warning.described
        else { return self.repeatedKeys }
        let others = count - JSON.Warning.described
        return self.repeatedKeys.dropLast() + [last.standing(forOthers: others)]
    }

    // MARK: Elements

    private func element() throws(JSONError) -> JSONStreamElement? {
        while true {
            guard let parser = self.parser ?? self.makeParser() else { return nil }
            if self.returned < parser.walk.elements.count {
                self.returned += 1
                return try self.element(parser.walk.elements[self.returned - 1], parser)
            }
            parser.walk.elements.removeAll(keepingCapacity: true)
            self.returned = 0
            self.drop(upTo: parser.walk.checkpoint, parser)
            if self.hasStopped { throw self.fault(parser) }
            guard try self.read(parser) else { return nil }
        }
    }

    /// Decides the form of the text at its first byte that is not white space, or at its end.
    private func makeParser() -> TokenParser? {
        let first = self.buffer[(self.unread - self.bufferStart)...].firstIndex { !TokenWalk.isSpace($0) }
        guard first != nil || self.isFinished else { return nil }
        var kind = self.content.kind
        if kind == .automatic {
            kind = first.map { self.buffer[$0] } == UInt8(ascii: "[") ? .array(.root) : .values
        }
        let parser = TokenParser(kind, limits: self.limits)
        self.parser = parser
        return parser
    }

    private func element(_ found: TokenWalk.Element, _ parser: TokenParser) throws(JSONError) -> JSONStreamElement {
        let range = found.range
        var text = self.buffer[(range.lowerBound - self.bufferStart)..<(range.upperBound - self.bufferStart)]
        while let byte = text.first, TokenWalk.isSeparator(byte) { text.removeFirst() }
        self.drop(upTo: self.bufferStart + text.startIndex, parser)
        let start = self.place
        guard text.count <= self.limits.bytes else { throw self.tooLarge(at: start) }
        do throws(JSONError) {
            let (value, warnings) = try JSON.parse(text, limits: self.limits)
            self.drop(upTo: range.upperBound, parser)
            return JSONStreamElement(
                value, key: found.key, text, warnings.map { $0.moved(to: start) }, at: start)
        } catch {
            throw error.moved(to: start)
        }
    }

    // MARK: Bytes

    /// Reads a piece of the buffer.
    ///
    /// - Returns: False if more bytes are needed.
    private func read(_ parser: TokenParser) throws(JSONError) -> Bool {
        let end = self.bufferStart + self.buffer.count - (self.isFinished ? 0 : self.incompleteCharacter)
        guard self.unread < end else {
            guard self.isFinished, !self.isComplete else { return false }
            self.isComplete = true
            self.hasStopped = unsafe !self.buffer.withUnsafeBufferPointer {
                unsafe parser.complete($0, from: self.bufferStart)
            }
            return true
        }
        let piece = self.unread..<min(end, self.unread + Self.pieceSize)
        self.hasStopped = unsafe !self.buffer.withUnsafeBufferPointer {
            unsafe parser.read(piece, of: $0, from: self.bufferStart)
        }
        self.unread = piece.upperBound
        if !self.hasStopped, self.unread - parser.walk.checkpoint > self.limits.bytes {
            self.drop(upTo: parser.walk.checkpoint, parser)
            throw self.tooLarge(at: self.place)
        }
        return true
    }

    /// How many bytes at the end of the buffer begin a character whose other bytes are missing: read alone, they are an error.
    private var incompleteCharacter: Int {
        let tail = self.buffer.suffix(min(3, self.bufferStart + self.buffer.count - self.unread))
        guard let lead = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }), tail[lead] >= 0xC0 else { return 0 }
        let count = tail.endIndex - lead
        return count < (tail[lead] >= 0xF0 ? 4 : tail[lead] >= 0xE0 ? 3 : 2) ? count : 0
    }

    /// Counts the lines up to an offset, before which no byte is needed any more.
    private func drop(upTo offset: Int, _ parser: TokenParser) {
        for index in parser.walk.brackets.indices where parser.walk.brackets[index].place == nil {
            guard parser.walk.brackets[index].offset < offset else { break }
            parser.walk.brackets[index].place = self.place(of: parser.walk.brackets[index].offset)
        }
        for key in (parser.walk.keys?.repeated ?? []).dropFirst(self.repeatedKeys.count) where key.offset < offset {
            self.repeatedKeys.append(JSON.Warning(ofKey: key.name, pointer: nil, at: self.place(of: key.offset)))
        }
        self.place = self.place(of: offset)
    }

    private func place(of offset: Int) -> TextPlace {
        let start = self.place
        return unsafe self.buffer.withUnsafeBufferPointer { bytes in
            let range = (start.byteOffset - self.bufferStart)..<(offset - self.bufferStart)
            return unsafe start.advanced(over: UnsafeBufferPointer(rebasing: bytes[range]))
        }
    }

    // MARK: Errors

    private func tooLarge(at place: TextPlace) -> JSONError {
        JSONError(
            .tooLarge,
            "a value here has more than \(self.limits.bytes) bytes, the limit of one element; raise JSON.Limits.bytes, or, if"
                + " the elements are in an array inside of it, name that array by its pointer", at: place)
    }

    /// The error at which the walk stopped. The text before the checkpoint is correct.
    private func fault(_ parser: TokenParser) -> JSONError {
        let rest = Array(self.buffer[(self.place.byteOffset - self.bufferStart)...])
        if parser.walk.numberEnd == parser.walk.checkpoint, let digit = rest.first,
            UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit
        {
            // yajl ends a number after a leading zero.
            return JSONError(.number, FaultFinder.leadingZero, at: self.place)
        }
        if let stop = parser.walk.stop {
            var error = JSONError(stop.code, stop.message, at: self.place(of: stop.offset))
            error.pointer = stop.pointer
            return error
        }
        let openings = parser.walk.brackets.map {
            FaultFinder.Opening(isObject: $0.isObject, before: $0.place ?? self.place(of: $0.offset))
        }
        let fault = FaultFinder.firstFault(
            in: rest, at: self.place, openings: openings, expected: parser.walk.expected,
            afterRoot: parser.walk.afterRoot)
        let end = fault?.byteOffset.map { $0 - self.place.byteOffset } ?? rest.count
        // A byte order mark is a separate error at the start of the text only.
        let isAtStart = self.place.byteOffset == 0
        let checked = (isAtStart ? [] : [UInt8(ascii: " ")]) + rest.prefix(end + 4)
        if let error = TextCheck.encodingFault(in: checked), let offset = error.byteOffset {
            let offset = isAtStart ? offset : offset - 1
            if offset <= end {
                return JSONError(error.code, error.message, at: self.place(of: self.place.byteOffset + offset))
            }
        }
        return fault ?? JSONError(.syntax, "the text is not JSON; check it here", at: self.place(of: self.unread))
    }
}

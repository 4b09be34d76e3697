/// Finds the first mistake in a text that the parser refused, and describes it in a message.
///
/// It runs only after a refusal, so it can be slow. It does not check the encoding. Its offset is that of the first byte that
/// can't continue a correct text, or the end if the text stops too soon.
package struct FaultFinder {
    /// The tokens that may come next.
    package enum Expected: Sendable {
        case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, nothing
        /// The text is a sequence of values.
        case anotherValueOrNothing
    }

    /// A bracket that is still open.
    package struct Opening: Sendable {
        let isObject: Bool
        let position: Position

        enum Position: Sendable {
            case inInput(offset: Int)
            case before(TextPlace)
        }

        init(isObject: Bool, at offset: Int) {
            self.isObject = isObject
            self.position = .inInput(offset: offset)
        }

        /// A bracket before the rest of a text.
        package init(isObject: Bool, before place: TextPlace) {
            self.isObject = isObject
            self.position = .before(place)
        }
    }

    let input: [UInt8]
    var offset = 0
    private let start: TextPlace
    private let afterRoot: Expected
    private var openings: [Opening]

    /// The first mistake, or nil if the text is correct.
    package static func firstFault(in input: [UInt8]) -> JSONError? {
        self.firstFault(in: input, at: .start, openings: [], expected: .value, afterRoot: .nothing)
    }

    /// The first mistake in the rest of a text.
    ///
    /// - Parameters:
    ///   - start: The position of the rest.
    ///   - openings: The brackets that are open there.
    ///   - expected: The tokens that may come first.
    ///   - afterRoot: The tokens that may come after a value that is in no bracket.
    package static func firstFault(
        in rest: [UInt8], at start: TextPlace, openings: [Opening], expected: Expected, afterRoot: Expected
    ) -> JSONError? {
        var finder = FaultFinder(input: rest, start: start, afterRoot: afterRoot, openings: openings)
        do throws(JSONError) {
            try finder.read(expected)
            return nil
        } catch {
            return error
        }
    }

    private init(input: [UInt8], start: TextPlace, afterRoot: Expected, openings: [Opening]) {
        self.input = input
        self.start = start
        self.afterRoot = afterRoot
        self.openings = openings
    }

    /// The byte at the present offset, or nil at the end.
    var byte: UInt8? {
        self.offset < self.input.count ? self.input[self.offset] : nil
    }

    /// A mistake at the present offset.
    func fault(_ message: String, _ code: JSONError.Code = .syntax) -> JSONError {
        JSONError(code, message, at: self.place(of: self.offset))
    }

    func place(of offset: Int) -> TextPlace {
        TextPlace(byteOffset: offset, in: self.input, at: self.start)
    }

    private mutating func read(_ first: Expected) throws(JSONError) {
        var expected = first
        while true {
            self.skipSpace()
            guard let byte = self.byte else {
                switch expected {
                case .nothing, .anotherValueOrNothing: return
                case .value, .valueOrEnd, .key, .keyOrEnd, .colon, .commaOrEnd: throw self.unfinished()
                }
            }
            expected = try self.step(expected, byte)
        }
    }

    private mutating func skipSpace() {
        while let byte = self.byte, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
            self.offset += 1
        }
    }

    private mutating func step(_ expected: Expected, _ byte: UInt8) throws(JSONError) -> Expected {
        let isEnd = byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
        switch expected {
        case .valueOrEnd where isEnd, .keyOrEnd where isEnd:
            return try self.close(byte)
        case .value, .valueOrEnd, .anotherValueOrNothing:
            return try self.value(byte)
        case .key, .keyOrEnd:
            guard byte == UInt8(ascii: "\"") else { throw self.fault(self.notAKey(byte)) }
            try self.readString()
            return .colon
        case .colon:
            guard byte == UInt8(ascii: ":") else {
                throw self.fault(
                    "found \(FaultFinder.name(byte)) after a key; put a colon between key and value")
            }
            self.offset += 1
            return .value
        case .commaOrEnd:
            if isEnd {
                return try self.close(byte)
            }
            guard byte == UInt8(ascii: ",") else {
                throw self.fault(
                    "found \(FaultFinder.name(byte)) after a value; put a comma or a closing bracket before it")
            }
            self.offset += 1
            return self.openings.last?.isObject == true ? .key : .value
        case .nothing:
            throw self.fault(
                "found \(FaultFinder.name(byte)) after the end of the value; a text holds one value", .trailing)
        }
    }

    private mutating func value(_ byte: UInt8) throws(JSONError) -> Expected {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            self.openings.append(Opening(isObject: isObject, at: self.offset))
            self.offset += 1
            return isObject ? .keyOrEnd : .valueOrEnd
        case UInt8(ascii: "\""):
            try self.readString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try self.readNumber()
        default:
            try self.readWord(byte)
        }
        return self.openings.isEmpty ? self.afterRoot : .commaOrEnd
    }

    private mutating func close(_ byte: UInt8) throws(JSONError) -> Expected {
        let isObject = byte == UInt8(ascii: "}")
        guard let opening = self.openings.last, opening.isObject == isObject else {
            throw self.fault(
                "found \(FaultFinder.name(byte)) where \(isObject ? "an array" : "an object") ends; close it with"
                    + " \(isObject ? "]" : "}")")
        }
        self.openings.removeLast()
        self.offset += 1
        return self.openings.isEmpty ? self.afterRoot : .commaOrEnd
    }

    private func notAKey(_ byte: UInt8) -> String {
        byte == UInt8(ascii: "}")
            ? "there is a comma before }; remove the comma"
            : "found \(FaultFinder.name(byte)) where a key is expected; a key is a string in double quotes"
    }

    private func unfinished() -> JSONError {
        guard let opening = self.openings.last else { return self.fault("the text is empty; send a JSON value") }
        let place =
            switch opening.position {
            case .inInput(let offset): self.place(of: offset)
            case .before(let place): place
            }
        return self.fault(
            "the text ends inside the \(opening.isObject ? "object" : "array") that starts at line \(place.line),"
                + " column \(place.column); it was cut off, or \(opening.isObject ? "}" : "]") is missing")
    }
}

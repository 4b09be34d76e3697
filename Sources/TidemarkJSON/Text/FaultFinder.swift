/// Finds the first mistake in a text that the parser refused, and describes it in a message.
///
/// It runs only after a refusal, so it can be slow. It does not check the encoding. Its offset is that of the first byte that
/// can't continue a correct text, or the end if the text stops too soon.
package struct FaultFinder {
    /// The tokens that may come next.
    private enum Expected {
        case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, nothing
    }

    /// A bracket that is still open.
    private struct Opening {
        let isObject: Bool
        let offset: Int
    }

    let input: [UInt8]
    var offset = 0
    private var openings: [Opening] = []

    /// The first mistake, or nil if the text is correct.
    package static func firstFault(in input: [UInt8]) -> JSONError? {
        var finder = FaultFinder(input: input)
        do throws(JSONError) {
            try finder.read()
            return nil
        } catch {
            return error
        }
    }

    private init(input: [UInt8]) {
        self.input = input
    }

    /// The byte at the present offset, or nil at the end.
    var byte: UInt8? {
        self.offset < self.input.count ? self.input[self.offset] : nil
    }

    /// A mistake at the present offset.
    func fault(_ message: String, _ code: JSONError.Code = .syntax) -> JSONError {
        JSONError(code, message, at: self.offset, of: self.input)
    }

    private mutating func read() throws(JSONError) {
        var expected = Expected.value
        while true {
            self.skipSpace()
            guard let byte = self.byte else {
                guard case .nothing = expected else { throw self.unfinished(expected) }
                return
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
        case .value, .valueOrEnd:
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
            self.openings.append(Opening(isObject: isObject, offset: self.offset))
            self.offset += 1
            return isObject ? .keyOrEnd : .valueOrEnd
        case UInt8(ascii: "\""):
            try self.readString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try self.readNumber()
        default:
            try self.readWord(byte)
        }
        return self.openings.isEmpty ? .nothing : .commaOrEnd
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
        return self.openings.isEmpty ? .nothing : .commaOrEnd
    }

    private func notAKey(_ byte: UInt8) -> String {
        byte == UInt8(ascii: "}")
            ? "there is a comma before }; remove the comma"
            : "found \(FaultFinder.name(byte)) where a key is expected; a key is a string in double quotes"
    }

    private func unfinished(_ expected: Expected) -> JSONError {
        guard let opening = self.openings.last else { return self.fault("the text is empty; send a JSON value") }
        let place = TextPlace(byteOffset: opening.offset, in: self.input)
        return self.fault(
            "the text ends inside the \(opening.isObject ? "object" : "array") that starts at line \(place.line),"
                + " column \(place.column); it was cut off, or \(opening.isObject ? "}" : "]") is missing")
    }
}

extension FaultFinder {
    /// Reads a string from its opening quote.
    mutating func readString() throws(JSONError) {
        let start = self.offset
        self.offset += 1
        while let byte = self.byte {
            switch byte {
            case UInt8(ascii: "\""):
                self.offset += 1
                return
            case UInt8(ascii: "\\"):
                try self.readEscape()
            case 0x00..<0x20:
                throw self.fault(FaultFinder.control(byte))
            default:
                self.offset += 1
            }
        }
        let place = self.place(of: start)
        throw self.fault(
            "the text ends inside the string that starts at line \(place.line), column \(place.column); it was cut off,"
                + " or the closing quote is missing")
    }

    private mutating func readEscape() throws(JSONError) {
        let start = self.offset
        self.offset += 1
        guard let letter = self.byte else { return }
        guard letter == UInt8(ascii: "u") else {
            guard JSONString.meaning(ofEscape: letter) != nil else {
                throw self.fault(
                    "a backslash before \(FaultFinder.name(letter)) is not a JSON escape; write \\\\ for a backslash itself"
                )
            }
            self.offset += 1
            return
        }
        guard let unit = try self.readUnit() else { return }
        if (0xD800..<0xDC00).contains(unit) {
            if self.byte == UInt8(ascii: "\\") {
                self.offset += 1
                if self.byte == UInt8(ascii: "u"), let low = try self.readUnit(),
                    (0xDC00..<0xE000).contains(low)
                {
                    return
                }
            }
            // If the text ends inside the pair, that is the mistake.
            guard self.byte != nil else { return }
        }
        guard !(0xD800..<0xE000).contains(unit) else {
            self.offset = start
            throw self.fault(
                "this \\u escape is one half of a surrogate pair without the other; write both halves,"
                    + " or the character itself", .surrogate)
        }
    }

    /// Reads `u` and four digits; nil if the text ends there.
    private mutating func readUnit() throws(JSONError) -> UInt32? {
        self.offset += 1
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = self.byte else { return nil }
            guard let digit = JSONString.hexDigit(byte) else {
                throw self.fault(
                    "found \(FaultFinder.name(byte)) in a \\u escape; it takes four digits 0-9, a-f")
            }
            unit = unit << 4 | digit
            self.offset += 1
        }
        return unit
    }

    /// Reads a number from its sign or first digit.
    mutating func readNumber() throws(JSONError) {
        if self.byte == UInt8(ascii: "-") {
            self.offset += 1
        }
        if self.byte == UInt8(ascii: "0") {
            self.offset += 1
            if let byte = self.byte, FaultFinder.isDigit(byte) {
                throw self.fault(FaultFinder.leadingZero, .number)
            }
        } else {
            try self.readDigits(after: "a minus sign")
        }
        if self.byte == UInt8(ascii: ".") {
            self.offset += 1
            try self.readDigits(after: "the decimal point")
        }
        if let byte = self.byte, byte | 0x20 == UInt8(ascii: "e") {
            self.offset += 1
            if let sign = self.byte, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                self.offset += 1
            }
            try self.readDigits(after: "the exponent mark")
        }
    }

    /// The message for a number such as `01`.
    package static let leadingZero = "a number has a leading zero; remove it"

    private mutating func readDigits(after what: String) throws(JSONError) {
        let start = self.offset
        while let byte = self.byte, FaultFinder.isDigit(byte) {
            self.offset += 1
        }
        guard self.offset > start else {
            throw self.fault("a digit is missing after \(what) of a number; add one", .number)
        }
    }

    /// Reads `true`, `false` or `null`.
    mutating func readWord(_ first: UInt8) throws(JSONError) {
        for word in ["true", "false", "null"] where first == word.utf8.first {
            for letter in word.utf8 {
                guard let byte = self.byte, byte == letter else {
                    throw self.fault("this is not a JSON value; did you mean \(word)?")
                }
                self.offset += 1
            }
            return
        }
        throw self.fault(FaultFinder.notAValue(first))
    }

    private static func notAValue(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            "found \(self.name(byte)) where a value is expected; remove the comma or colon before it, or add the value"
        case UInt8(ascii: ","):
            "found a comma where a value is expected; remove it or add the value"
        case UInt8(ascii: "'"):
            "strings are written in double quotes"
        case UInt8(ascii: "/"):
            "JSON has no comments; remove it"
        case UInt8(ascii: "+"), UInt8(ascii: "."):
            "a number starts with a digit or a minus sign; write 0.5 and 1, not .5 and +1"
        case UInt8(ascii: "N"), UInt8(ascii: "I"):
            "JSON has no NaN and no Infinity; write null or a string"
        default:
            "found \(self.name(byte)) where a value is expected; a string needs double quotes, and the words are"
                + " true, false and null"
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The message for an unescaped control character.
    static func control(_ byte: UInt8) -> String {
        "\(self.name(byte)) is not allowed in JSON text; in a string write it as an escape, elsewhere remove it"
    }

    /// The name of a byte in a message.
    static func name(_ byte: UInt8) -> String {
        switch byte {
        case 0x09: "a tab"
        case 0x0A: "a line feed"
        case 0x0D: "a carriage return"
        case 0x00..<0x20, 0x7F:
            "the control character U+00" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        case 0x80...: "a character beyond ASCII"
        default: "'" + String(Unicode.Scalar(byte)) + "'"
        }
    }
}

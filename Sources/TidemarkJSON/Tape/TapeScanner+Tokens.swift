extension TapeScanner {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Reads a string after its opening quote: the position after the closing one, or 0, and its flags.
    @inline(__always)
    func string(_ start: Int) -> (end: Int, flags: UInt32) {
        var at = start
        while at &+ 8 <= self.count {
            let stops = self.stops(at)
            guard stops != 0 else {
                at &+= 8
                continue
            }
            at &+= stops.trailingZeroBitCount &>> 3
            if unsafe self.base.load(fromByteOffset: at, as: UInt8.self) == UInt8(ascii: "\"") { return (at &+ 1, 0) }
            break
        }
        return self.stringWithMore(at)
    }

    /// Marks the bytes among eight that end a run: the quote, the backslash, controls and bytes beyond ASCII. The lowest mark
    /// is right; those above may result from a carry.
    @inline(__always)
    private func stops(_ at: Int) -> UInt64 {
        let word = unsafe UInt64(littleEndian: self.base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        let quotes = word ^ (TapeScanner.ones &* 0x22)
        let slashes = word ^ (TapeScanner.ones &* 0x5C)
        let found =
            (quotes &- TapeScanner.ones) & ~quotes | (slashes &- TapeScanner.ones) & ~slashes
            | (word &- TapeScanner.ones &* 0x20) & ~word | word
        return found & TapeScanner.highs
    }

    /// Continues a string at a byte that is not plain ASCII, or near the end of the text.
    @inline(never)
    private func stringWithMore(_ start: Int) -> (end: Int, flags: UInt32) {
        var at = start
        var flags: UInt32 = 0
        while at < self.count {
            let byte = unsafe self.base.load(fromByteOffset: at, as: UInt8.self)
            if byte >= 0x80 {
                flags |= TapeNode.Flag.beyondASCII
                at = self.sequences(at)
            } else if byte == UInt8(ascii: "\"") {
                return (at &+ 1, flags)
            } else if byte == UInt8(ascii: "\\") {
                flags |= TapeNode.Flag.escapes
                at = self.escape(at)
            } else {
                at = byte < 0x20 ? 0 : self.plain(at &+ 1)
            }
            guard at > 0 else { break }
        }
        return (0, 0)
    }

    /// Returns the position after plain bytes.
    @inline(__always)
    private func plain(_ start: Int) -> Int {
        var at = start
        while at &+ 8 <= self.count {
            let stops = self.stops(at)
            guard stops == 0 else { return at &+ stops.trailingZeroBitCount &>> 3 }
            at &+= 8
        }
        return at
    }

    /// Returns the position after consecutive characters beyond ASCII, or 0 if one is not well-formed UTF-8 (Unicode, table
    /// 3-7).
    @inline(__always)
    private func sequences(_ start: Int) -> Int {
        var at = start
        while at < self.count {
            let lead = unsafe self.base.load(fromByteOffset: at, as: UInt8.self)
            guard lead >= 0x80 else { return at }
            let (second, third, fourth) = (self.byte(at &+ 1), self.byte(at &+ 2), self.byte(at &+ 3))
            switch lead {
            case 0xC2...0xDF:
                guard TapeScanner.goesOn(second) else { return 0 }
                at &+= 2
            case 0xE0...0xEF:
                guard TapeScanner.goesOn(second), TapeScanner.goesOn(third),
                    lead != 0xE0 || second >= 0xA0, lead != 0xED || second < 0xA0
                else { return 0 }
                at &+= 3
            case 0xF0...0xF4:
                guard TapeScanner.goesOn(second), TapeScanner.goesOn(third), TapeScanner.goesOn(fourth),
                    lead != 0xF0 || second >= 0x90, lead != 0xF4 || second < 0x90
                else { return 0 }
                at &+= 4
            default: return 0
            }
        }
        return at
    }

    @inline(__always)
    private static func goesOn(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// Returns the position after an escape, of a surrogate after both halves, or 0.
    @inline(__always)
    private func escape(_ at: Int) -> Int {
        let letter = self.byte(at &+ 1)
        guard letter == UInt8(ascii: "u") else { return JSONString.meaning(ofEscape: letter) == nil ? 0 : at &+ 2 }
        guard let unit = self.unit(at &+ 2) else { return 0 }
        guard unit & 0xF800 == 0xD800 else { return at &+ 6 }
        guard unit < 0xDC00, self.byte(at &+ 6) == UInt8(ascii: "\\"), self.byte(at &+ 7) == UInt8(ascii: "u"),
            let low = self.unit(at &+ 8), low & 0xFC00 == 0xDC00
        else { return 0 }
        return at &+ 12
    }

    private func unit(_ at: Int) -> UInt32? {
        var unit: UInt32 = 0
        for place in at..<at + 4 {
            guard let digit = JSONString.hexDigit(self.byte(place)) else { return nil }
            unit = unit << 4 | digit
        }
        return unit
    }

    /// Reads a number from its sign or first digit.
    @inline(__always)
    mutating func readNumber(_ start: Int) -> Int? {
        let isNegative = self.byte(start) == UInt8(ascii: "-")
        let first = isNegative ? start &+ 1 : start
        let whole = self.digits(first)
        guard whole > first else { return nil }
        let isZero = self.byte(first) == UInt8(ascii: "0")
        guard !isZero || whole == first &+ 1 else { return nil }
        var at = whole
        var flags: UInt32 = isZero && isNegative ? 0 : TapeNode.Flag.plainInteger
        if self.byte(at) == UInt8(ascii: ".") {
            flags = 0
            let fraction = at &+ 1
            at = self.digits(fraction)
            guard at > fraction else { return nil }
        }
        if self.byte(at) | 0x20 == UInt8(ascii: "e") {
            flags = TapeNode.Flag.exponent
            let sign = self.byte(at &+ 1)
            let power = sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") ? at &+ 2 : at &+ 1
            at = self.digits(power)
            guard at > power else { return nil }
        }
        self.nodes.append(start: start, end: at, link: 1, info: TapeNode.Kind.number | flags)
        return at
    }

    @inline(__always)
    private func digits(_ start: Int) -> Int {
        var at = start
        while self.byte(at) &- UInt8(ascii: "0") < 10 { at &+= 1 }
        return at
    }
}

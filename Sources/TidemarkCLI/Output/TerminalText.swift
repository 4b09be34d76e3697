/// Text that is safe to show on a terminal, and its width in columns.
///
/// All text from outside goes through it before it is printed: answers of a server, pks, values, files, and the
/// arguments.
struct TerminalText {
    /// One character at a time, each with its columns.
    private let cells: [(text: String, width: Int)]

    /// Escapes text from outside: characters that could move the cursor or reverse the line are written as JSON escapes.
    init(_ text: String) {
        self.cells = text.map { character in
            let isHarmless = !character.unicodeScalars.contains(where: Self.isControl)
            guard isHarmless else {
                let escaped = character.unicodeScalars.map(Self.escaped).joined()
                return (escaped, escaped.count)
            }
            return (String(character), character.unicodeScalars.contains(where: Self.isWide) ? 2 : 1)
        }
    }

    /// Whether a terminal shows the text as it is, without an escape.
    static func showsUnchanged(_ text: String) -> Bool {
        !text.unicodeScalars.contains(where: Self.isControl)
    }

    var text: String { self.cells.map(\.text).joined() }

    /// Broken into lines of at most `width` columns.
    ///
    /// - Parameter limit: How many lines at most; the last one ends in `…` when there is more.
    func lines(width: Int, limit: Int = .max) -> [String] {
        var lines: [(text: String, width: Int)] = [("", 0)]
        for cell in self.cells {
            if let last = lines.last, last.width > 0, last.width + cell.width > width { lines.append(("", 0)) }
            lines[lines.count - 1].text += cell.text
            lines[lines.count - 1].width += cell.width
        }
        guard lines.count > limit else { return lines.map(\.text) }
        return lines.prefix(limit - 1).map(\.text) + ["…"]
    }

    /// The width in columns.
    var width: Int { self.cells.reduce(0) { $0 + $1.width } }

    /// Escapes JSON text from outside in the same way. A parser reads the same value, since JSON allows these characters
    /// in strings only. White space between the tokens stays, except a carriage return, which becomes a space.
    static func json(_ text: String) -> String {
        guard !Self.showsUnchanged(text) else { return text }
        return text.unicodeScalars.map { scalar in
            switch scalar {
            case "\n", "\t": String(scalar)
            case "\r": " "
            default: Self.escaped(scalar)
            }
        }.joined()
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: !scalar.properties.isJoinControl
        default: false
        }
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        guard Self.isControl(scalar) else { return String(scalar) }
        return scalar.utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
        }.joined()
    }

    /// Whether it takes two columns: East Asian letters and emoji (Unicode Standard Annex 11, by its large ranges).
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0x20000...0x3FFFD:
            true
        default: scalar.properties.isEmojiPresentation
        }
    }
}

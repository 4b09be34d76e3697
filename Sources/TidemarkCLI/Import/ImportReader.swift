import Tidemark

/// Reads the values of a file one by one: the elements of a JSON array, or one value per line (NDJSON).
///
/// The first character that is not white space decides which. One chunk of the file and one value are in memory.
struct ImportReader {
    /// The start of a value; line and column count from 1, the column in bytes.
    struct Place {
        var line = 1
        var column = 1
    }

    private enum Form {
        case unknown
        case lines
        /// After so many elements.
        case array(start: Place, count: Int)
        case ended
    }

    private let file: InputFile
    private let limit: Int
    private let warn: (String) -> Void
    private let progress: (Int) -> Void

    private var form = Form.unknown
    /// The bytes in memory; the next value begins at `start`.
    private var bytes: [UInt8] = []
    private var start = 0
    private var place = Place()
    /// How many bytes were read so far.
    private var count = 0

    /// - Parameters:
    ///   - limit: The largest file, in bytes.
    ///   - warn: Is called with a message for each oddity that is accepted.
    ///   - progress: Is called with the number of bytes read so far.
    init(
        _ file: InputFile, limit: Int, warn: @escaping (String) -> Void, progress: @escaping (Int) -> Void = { _ in }
    ) {
        self.file = file
        self.limit = limit
        self.warn = warn
        self.progress = progress
    }

    /// The next value, and its start; nil at the end.
    mutating func next() throws(CommandFailure) -> (JSON, Place)? {
        if case .unknown = self.form { try self.begin() }
        switch self.form {
        case .lines: return try self.nextLine()
        case .array(let start, let count): return try self.nextElement(of: start, behind: count)
        case .unknown, .ended: return nil
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private mutating func begin() throws(CommandFailure) {
        while true {
            if let first = self.bytes[self.start...].firstIndex(where: { !Self.isSpace($0) }) {
                self.pass(to: first)
                break
            }
            self.pass(to: self.bytes.count)
            guard try self.readMore() else {
                throw CommandFailure(
                    "\(self.file.name) is empty. It should be a JSON array of objects, or one object per line.")
            }
        }
        switch self.bytes[self.start] {
        case UInt8(ascii: "{"): self.form = .lines
        case UInt8(ascii: "["):
            self.form = .array(start: self.place, count: 0)
            self.pass(to: self.start + 1)
        default: try self.refuse()
        }
    }

    /// Throws for a file that begins neither as an array nor as an object; the parser supplies the reason.
    private mutating func refuse() throws(CommandFailure) {
        while try self.readMore() {}
        do throws(JSONError) {
            let text = self.bytes[self.start...]
            let value = try JSON(parsing: text, limits: JSON.Limits(bytes: self.limit))
            throw JSONError(
                .shape,
                "a JSON array of objects, or one object per line, is needed; this is \(value.text.prefix(40))",
                at: 0, of: Array(text))
        } catch {
            throw CommandFailure(
                "\(CommandFailure(error, in: self.file.name, linesBefore: self.place.line - 1)). Nothing was imported.")
        }
    }

    // MARK: Bytes

    /// Drops the bytes of values that were returned, and reads another chunk.
    ///
    /// - Returns: False at the end of the file.
    private mutating func readMore() throws(CommandFailure) -> Bool {
        let chunk = try self.file.chunk()
        self.count += chunk.count
        guard self.count <= self.limit else {
            throw CommandFailure(
                "\(self.file.name) has more than \(self.limit) bytes. Import it in parts, or allow more with --max-size."
            )
        }
        guard !chunk.isEmpty else { return false }
        self.bytes.removeFirst(self.start)
        self.bytes += chunk
        self.start = 0
        self.progress(self.count)
        return true
    }

    /// Counts lines and columns up to an offset, where the next value begins.
    private mutating func pass(to end: Int) {
        self.place = self.place(at: end)
        self.start = end
    }

    private func place(at end: Int) -> Place {
        var place = self.place
        for byte in self.bytes[self.start..<end] {
            if byte == UInt8(ascii: "\n") {
                place = Place(line: place.line + 1, column: 1)
            } else {
                place.column += 1
            }
        }
        return place
    }

    private func tell(_ warnings: [JSON.Warning], from place: Place) {
        for warning in warnings {
            let column = warning.line == 1 ? warning.column + place.column - 1 : warning.column
            self.warn(
                "\(self.file.name):\(warning.line + place.line - 1):\(column): warning: \(warning.message)")
        }
    }
}

// MARK: - One value per line

extension ImportReader {
    private mutating func nextLine() throws(CommandFailure) -> (JSON, Place)? {
        var seen = self.start
        while true {
            if let end = self.bytes[seen...].firstIndex(of: UInt8(ascii: "\n")) {
                let found = try self.line(self.start..<end)
                self.pass(to: end + 1)
                if let found { return found }
                seen = self.start
                continue
            }
            seen = self.bytes.count - self.start
            guard try self.readMore() else { break }
        }
        self.form = .ended
        return try self.line(self.start..<self.bytes.count)
    }

    private func line(_ range: Range<Int>) throws(CommandFailure) -> (JSON, Place)? {
        guard let first = self.bytes[range].firstIndex(where: { !Self.isSpace($0) }) else { return nil }
        do throws(JSONError) {
            let (value, warnings) = try JSON.parse(self.bytes[range], limits: JSON.Limits(bytes: self.limit))
            self.tell(warnings, from: self.place)
            return (value, self.place(at: first))
        } catch {
            let failure = CommandFailure(error, in: self.file.name, linesBefore: self.place.line - 1)
            throw CommandFailure(
                """
                \(failure). The file does not start with [, so each line must be a whole object; if the records are \
                in an array inside an object, import that array. Nothing was imported.
                """
            )
        }
    }
}

// MARK: - One array

extension ImportReader {
    private mutating func nextElement(of array: Place, behind count: Int) throws(CommandFailure) -> (JSON, Place)? {
        var walk = ElementWalk(from: self.start)
        while !walk.isOver(self.bytes) {
            walk.place -= self.start
            guard try self.readMore() else {
                // The text ends inside the array, which the parser reports.
                walk.place = self.bytes.count
                break
            }
        }
        let element = self.bytes[self.start..<walk.place]
        let end = walk.place < self.bytes.count ? self.bytes[walk.place] : nil
        let isEmpty = element.allSatisfy(Self.isSpace)
        if isEmpty, count == 0, end == UInt8(ascii: "]") {
            try self.endArray(behind: walk.place + 1, array)
            return nil
        }
        guard end != nil, !isEmpty, let (value, warnings) = self.parsed(element) else {
            throw self.fault(in: element, behind: count, of: array, end: end)
        }
        self.tell(warnings, from: self.place)
        let place = self.place(at: element.firstIndex { !Self.isSpace($0) } ?? self.start)
        if end == UInt8(ascii: "]") {
            try self.endArray(behind: walk.place + 1, array)
        } else {
            self.form = .array(start: array, count: count + 1)
            self.pass(to: walk.place + 1)
        }
        return (value, place)
    }

    /// An element; nil if it is not valid JSON.
    private func parsed(_ element: ArraySlice<UInt8>) -> (JSON, [JSON.Warning])? {
        try? JSON.parse(element, limits: JSON.Limits(bytes: self.limit))
    }

    /// Checks that only white space follows the array.
    private mutating func endArray(behind end: Int, _ array: Place) throws(CommandFailure) {
        self.pass(to: end)
        self.form = .ended
        repeat {
            if let wrong = self.bytes[self.start...].firstIndex(where: { !Self.isSpace($0) }) {
                self.pass(to: wrong)
                var text = Self.padding(from: Place(), to: array) + Array("[]".utf8)
                text += Self.padding(from: Place(line: array.line, column: array.column + 2), to: self.place)
                throw self.fault(in: text + self.bytes[wrong...])
            }
            self.pass(to: self.bytes.count)
        } while try self.readMore()
    }

    /// The error in an element. The element is parsed alone, in an array padded to its place in the file, so that the parser
    /// reports the right line and column.
    private func fault(
        in element: ArraySlice<UInt8>, behind count: Int, of array: Place, end: UInt8?
    ) -> CommandFailure {
        var text = Self.padding(from: Place(), to: array) + Array((count == 0 ? "[" : "[0,").utf8)
        let behind = Place(line: array.line, column: array.column + (count == 0 ? 1 : 3))
        text += Self.padding(from: behind, to: self.place) + element
        if let end { text += end == UInt8(ascii: ",") ? Array(",0]".utf8) : [end] }
        return self.fault(in: text)
    }

    private func fault(in text: [UInt8]) -> CommandFailure {
        do throws(JSONError) {
            _ = try JSON(parsing: text, limits: JSON.Limits(bytes: .max))
            return CommandFailure("\(self.file.name) can't be read as JSON. Nothing was imported.")
        } catch {
            return CommandFailure("\(CommandFailure(error, in: self.file.name)). Nothing was imported.")
        }
    }

    private static func padding(from start: Place, to end: Place) -> [UInt8] {
        let lines = end.line - start.line
        return [UInt8](repeating: UInt8(ascii: "\n"), count: lines)
            + [UInt8](repeating: UInt8(ascii: " "), count: end.column - (lines > 0 ? 1 : start.column))
    }
}

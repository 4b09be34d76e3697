import Tidemark

/// Reads the values of a file one by one: the elements of a JSON array, or one value a line (NDJSON).
///
/// The first character that is no white space tells which it is. NDJSON is read line by line, and no more of its text is
/// in memory than a line.
struct ImportReader {
    /// Where a value starts; from 1, the column in bytes.
    struct Place {
        var line: Int
        var column: Int
    }

    typealias Taker = (JSON, Place) throws(CommandFailure) -> Void

    private let file: InputFile
    private let limit: Int
    private let warn: (String) -> Void
    private let progress: (Int) -> Void

    /// - Parameters:
    ///   - limit: How many bytes the file may have.
    ///   - warn: Hears what is odd and was taken nevertheless.
    ///   - progress: Hears how many bytes were read so far.
    init(
        _ file: InputFile, limit: Int, warn: @escaping (String) -> Void, progress: @escaping (Int) -> Void = { _ in }
    ) {
        self.file = file
        self.limit = limit
        self.warn = warn
        self.progress = progress
    }

    /// Hands over every value, in order.
    func read(_ take: Taker) throws(CommandFailure) {
        var start: [UInt8] = []
        while true {
            let chunk = try self.next(after: start.count)
            start += chunk
            guard let first = start.first(where: { !Self.isSpace($0) }) else {
                guard chunk.isEmpty else { continue }
                throw CommandFailure(
                    "\(self.file.name) is empty. It should be a JSON array of objects, or one object a line.")
            }
            if first == UInt8(ascii: "{") { return try self.readLines(start, take) }
            return try self.readArray(start, take)
        }
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private func next(after count: Int) throws(CommandFailure) -> [UInt8] {
        let chunk = try self.file.chunk()
        guard count + chunk.count <= self.limit else {
            throw CommandFailure(
                "\(self.file.name) has more than \(self.limit) bytes. Import it in parts, or allow more with --max-size."
            )
        }
        self.progress(count + chunk.count)
        return chunk
    }

    private func tell(_ warnings: [JSONWarning], linesBefore: Int) {
        for warning in warnings {
            self.warn("\(self.file.name):\(warning.line + linesBefore):\(warning.column): warning: \(warning.message)")
        }
    }
}

// MARK: - One value a line

extension ImportReader {
    private func readLines(_ start: [UInt8], _ take: Taker) throws(CommandFailure) {
        var (chunk, count) = (start, start.count)
        var line: [UInt8] = []
        var number = 1
        while !chunk.isEmpty {
            var rest = chunk[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                try self.readLine(line, number, take)
                line.removeAll(keepingCapacity: true)
                number += 1
                rest = rest[(end + 1)...]
            }
            line += rest
            chunk = try self.next(after: count)
            count += chunk.count
        }
        try self.readLine(line, number, take)
    }

    private func readLine(_ line: [UInt8], _ number: Int, _ take: Taker) throws(CommandFailure) {
        guard let first = line.firstIndex(where: { !Self.isSpace($0) }) else { return }
        let value: JSON
        do throws(JSONError) {
            let (parsed, warnings) = try JSON.parse(line, limits: JSONLimits(bytes: self.limit))
            self.tell(warnings, linesBefore: number - 1)
            value = parsed
        } catch {
            let failure = CommandFailure(error, in: self.file.name, linesBefore: number - 1)
            throw CommandFailure(
                """
                \(failure). The file does not start with [, so each line has to be a whole object; if the records are \
                in an array inside of one, import that array. Nothing was imported.
                """
            )
        }
        try take(value, Place(line: number, column: first + 1))
    }
}

// MARK: - One array

extension ImportReader {
    private func readArray(_ start: [UInt8], _ take: Taker) throws(CommandFailure) {
        var bytes = start
        while true {
            let chunk = try self.next(after: bytes.count)
            if chunk.isEmpty { break }
            bytes += chunk
        }
        let elements = try self.elements(of: bytes)
        var walk = ArrayWalk(bytes)
        for element in elements { try take(element, walk.next()) }
    }

    private func elements(of bytes: [UInt8]) throws(CommandFailure) -> [JSON] {
        do throws(JSONError) {
            let (value, warnings) = try JSON.parse(bytes, limits: JSONLimits(bytes: self.limit))
            self.tell(warnings, linesBefore: 0)
            if let elements = value.array { return elements }
            let shown = value.text.prefix(40)
            throw JSONError(
                .shape, "a JSON array of objects, or one object a line, is needed; this is \(shown)", at: 0, of: bytes)
        } catch {
            throw CommandFailure("\(CommandFailure(error, in: self.file.name)). Nothing was imported.")
        }
    }
}

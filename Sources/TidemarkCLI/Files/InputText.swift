import Tidemark

/// The content of a file, and errors in it as `file:line:column: reason`.
struct InputText {
    let name: String
    let bytes: [UInt8]

    /// Reads a file; `-` is standard input.
    ///
    /// - Parameter limit: The largest size, in bytes.
    init(_ path: String, _ console: Console, limit: Int = JSON.Limits.default.bytes) throws(CommandFailure) {
        let file = try InputFile(path, warn: console.say)
        self.name = file.name
        self.bytes = try file.rest(limit: limit)
    }

    /// Wraps text that was already read.
    init(_ bytes: [UInt8], named name: String) {
        self.name = name
        self.bytes = bytes
    }

    /// The value; a key that is there twice causes a warning.
    func json(_ console: Console) throws(CommandFailure) -> JSON {
        let (value, warnings) = try self.reading { (bytes) throws(JSONError) in try JSON.parse(bytes) }
        for warning in warnings {
            console.say("\(self.name):\(warning.line):\(warning.column): warning: \(warning.message)")
        }
        return value
    }

    /// Runs a parser, and adds file, line and column to its error.
    func reading<Value>(_ read: ([UInt8]) throws(JSONError) -> Value) throws(CommandFailure) -> Value {
        do throws(JSONError) {
            return try read(self.bytes)
        } catch {
            throw CommandFailure(error, in: self.name)
        }
    }
}

extension CommandFailure {
    /// An error in a JSON text, in the format of compilers.
    ///
    /// - Parameters:
    ///   - name: The name of the text.
    ///   - linesBefore: How many lines of the file are before the text.
    init(_ error: JSONError, in name: String, linesBefore: Int = 0) {
        var place = name
        if let line = error.line, let column = error.column { place += ":\(line + linesBefore):\(column)" }
        let pointer = error.pointer.map { $0.isEmpty ? "" : "at \($0): " } ?? ""
        self.init("\(place): \(pointer)\(error.message)")
    }
}

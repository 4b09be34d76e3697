import Tidemark

/// A whole file, and the words for what is wrong in it: `file:line:column: reason`.
struct InputText {
    let name: String
    let bytes: [UInt8]

    /// Reads a file; `-` is standard input.
    ///
    /// - Parameter limit: How many bytes it may have.
    init(_ path: String, _ console: Console, limit: Int = JSON.Limits.default.bytes) throws(CommandFailure) {
        let file = try InputFile(path, warn: console.say)
        self.name = file.name
        self.bytes = try file.rest(limit: limit)
    }

    /// Takes text that was read already.
    init(_ bytes: [UInt8], named name: String) {
        self.name = name
        self.bytes = bytes
    }

    /// The value; keys that come twice are told as warnings.
    func json(_ console: Console) throws(CommandFailure) -> JSON {
        let (value, warnings) = try self.reading { (bytes) throws(JSONError) in try JSON.parse(bytes) }
        for warning in warnings {
            console.say("\(self.name):\(warning.line):\(warning.column): warning: \(warning.message)")
        }
        return value
    }

    /// Runs a reader, and names file, line and column where it fails.
    func reading<Value>(_ read: ([UInt8]) throws(JSONError) -> Value) throws(CommandFailure) -> Value {
        do throws(JSONError) {
            return try read(self.bytes)
        } catch {
            throw CommandFailure(error, in: self.name)
        }
    }
}

extension CommandFailure {
    /// A mistake in a JSON text, as compilers print it.
    ///
    /// - Parameters:
    ///   - name: What the text is called.
    ///   - linesBefore: How many lines of the file come before the text.
    init(_ error: JSONError, in name: String, linesBefore: Int = 0) {
        var place = name
        if let line = error.line, let column = error.column { place += ":\(line + linesBefore):\(column)" }
        let pointer = error.pointer.map { $0.isEmpty ? "" : "at \($0): " } ?? ""
        self.init("\(place): \(pointer)\(error.message)")
    }
}

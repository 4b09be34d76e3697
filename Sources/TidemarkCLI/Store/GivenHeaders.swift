import Tidemark

/// Additional header fields for a server, from a file, since they can be secrets, and every user of the machine can read arguments.
enum GivenHeaders {
    static let option = Option(
        name: "--header-file", value: "FILE",
        summary: "header fields for each request, as of a gateway: a file with “Name: value” on each line", kind: .file)

    /// The largest file, in bytes; of its content the remote has a limit.
    private static let fileLimit = 16 << 10

    /// Reads a file; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` if a line is no header field, or if the field can't be sent.
    static func read(_ path: String, _ console: Console, for command: any Command.Type) throws -> [String: String] {
        guard !path.isEmpty else { throw UsageError("--header-file needs the name of a file", for: command) }
        if path != "-", let warning = try PrivateFile.tighten(path, .warns) { console.say("tidemark: \(warning)") }
        let text = try InputText(path, console, limit: Self.fileLimit)
        var headers: [String: String] = [:]
        let lines = text.bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            let line = Self.trimmed(line)
            guard !line.isEmpty else { continue }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
                throw CommandFailure("\(text.name):\(number + 1): this line is no header field: “Name: value”")
            }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            guard headers[name] == nil else {
                throw CommandFailure("\(text.name):\(number + 1): the field “\(name)” is there twice; keep one of them")
            }
            headers[name] = String(decoding: Self.trimmed(line[(colon + 1)...]), as: UTF8.self)
        }
        guard !headers.isEmpty else {
            throw CommandFailure("\(text.name) is empty. To remove the header fields of a store: --no-headers")
        }
        do throws(TidemarkError) {
            _ = try HTTPRemote(url: "http://localhost", options: HTTPRemote.Options(headers: headers))
        } catch {
            throw CommandFailure("\(text.name): \(error.message)")
        }
        return headers
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 || byte == 0x0D }
        let end = line.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? line.startIndex
        return line[..<end].drop(while: isBlank)
    }
}

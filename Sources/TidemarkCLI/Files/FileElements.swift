import Tidemark
import TidemarkJSONStream

/// The elements of a JSON file. One chunk of the file and one element are in memory.
struct FileElements {
    let file: InputFile
    let limits: JSON.Limits
    let reader: JSONStreamReader

    private let progress: (Int) -> Void
    /// How many bytes were read so far.
    private var count = 0

    /// Whether the bytes so far are only white space.
    private(set) var isBlank = true

    /// - Parameter progress: Is called with the number of bytes read so far.
    init(
        _ file: InputFile, _ content: JSONStreamContent, limits: JSON.Limits = .default,
        progress: @escaping (Int) -> Void = { _ in }
    ) {
        self.file = file
        self.limits = limits
        self.reader = JSONStreamReader(content, limits: limits)
        self.progress = progress
    }

    /// The next element; nil at the end.
    ///
    /// - Parameter describe: Turns an error of the text into the reason for the user.
    mutating func next(
        _ describe: (JSONError) -> CommandFailure
    ) throws(CommandFailure) -> JSONStreamElement? {
        while true {
            do throws(JSONError) {
                if let element = try self.reader.next() { return element }
            } catch {
                throw describe(error)
            }
            guard !self.reader.isFinished else { return nil }
            let chunk = try self.file.chunk()
            if chunk.isEmpty {
                self.reader.finish()
            } else {
                self.isBlank = self.isBlank && chunk.allSatisfy(\.isJSONSpace)
                self.count += chunk.count
                self.progress(self.count)
                self.reader.feed(chunk)
            }
        }
    }
}

extension UInt8 {
    /// Whether the byte is white space between the tokens of JSON.
    var isJSONSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}

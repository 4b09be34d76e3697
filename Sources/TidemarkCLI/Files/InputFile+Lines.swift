import Tidemark

extension InputFile {
    /// Calls a closure with every line that is not blank, and its number from 1. One line and one chunk are in memory.
    func readLines(_ take: ([UInt8], Int) throws(CommandFailure) -> Void) throws(CommandFailure) {
        let limit = JSON.Limits.default.bytes
        var line: [UInt8] = []
        var number = 1
        while true {
            let chunk = try self.chunk()
            var rest = chunk[...]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                line += rest[..<end]
                if !line.allSatisfy(\.isJSONSpace) { try take(line, number) }
                line.removeAll(keepingCapacity: true)
                number += 1
                rest = rest[(end + 1)...]
            }
            line += rest
            guard line.count <= limit else {
                throw CommandFailure(
                    "\(self.name):\(number): the line has more than \(limit) bytes, which is the limit.")
            }
            guard chunk.isEmpty else { continue }
            if !line.allSatisfy(\.isJSONSpace) { try take(line, number) }
            return
        }
    }
}

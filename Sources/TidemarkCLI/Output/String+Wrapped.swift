extension String {
    /// The lines of a text, broken at spaces; each line but the first begins with the hanging indent. A longer word stays whole.
    ///
    /// Split at bytes: a combining mark after a space would make it another character.
    func wrapped(indent: Int = 0, hanging: Int = 0, columns: Int) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var length = indent
        var isFirst = true
        for word in self.utf8.split(separator: UInt8(ascii: " ")).map({ Substring($0) }) {
            let count = word.count
            if !isFirst, length + 1 + count > columns {
                lines.append(line)
                line = String(repeating: " ", count: indent + hanging) + word
                length = indent + hanging + count
            } else {
                line += (isFirst ? "" : " ") + word
                length += (isFirst ? 0 : 1) + count
            }
            isFirst = false
        }
        return lines + [line]
    }
}

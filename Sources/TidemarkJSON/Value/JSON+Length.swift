extension JSON {
    /// Returns the length of the text in bytes, or a number above the limit. The keys of changed objects, and commas, do not count,
    /// so that a parsed value is measured without a walk.
    package func length(upTo limit: Int) -> Int {
        var length = 0
        self.addLength(to: &length, limit)
        return length
    }

    private func addLength(to length: inout Int, _ limit: Int) {
        switch self.storage {
        case .null, .bool: length += 4
        case .number(let number): length += number.text.utf8.count
        case .string(let string): length += string.source.utf8.count
        case .tape(let tape, let place): length += tape.read { $0[Int(place)].length }
        case .array(let elements):
            for element in elements {
                guard length <= limit else { return }
                element.addLength(to: &length, limit)
            }
        case .members(let members):
            for member in members {
                guard length <= limit else { return }
                member.value.addLength(to: &length, limit)
            }
        }
    }
}

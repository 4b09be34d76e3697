extension JSON {
    /// Returns whether the value is longer than a number of bytes, as text. The keys of changed objects, and commas, do not count,
    /// so that a parsed value is measured without a walk.
    package func isLonger(than limit: Int) -> Bool {
        var left = limit
        self.subtractLength(from: &left)
        return left < 0
    }

    private func subtractLength(from left: inout Int) {
        switch self.storage {
        case .null, .bool: left -= 4
        case .number(let number): left -= number.text.utf8.count
        case .string(let string): left -= string.source.utf8.count
        case .tape(let tape, let place): left -= tape.read { $0[Int(place)].length }
        case .array(let elements):
            for element in elements {
                guard left >= 0 else { return }
                element.subtractLength(from: &left)
            }
        case .members(let members):
            for member in members {
                guard left >= 0 else { return }
                member.value.subtractLength(from: &left)
            }
        }
    }
}

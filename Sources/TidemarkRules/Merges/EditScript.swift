/// The shortest edit script between two sequences: the removals and insertions with their positions (Myers 1986, O(ND)).
struct EditScript: Sendable, Hashable {
    /// A stretch of the old sequence, and its replacement in the new one.
    struct Hunk: Sendable, Hashable {
        var old: Range<Int>
        var new: Range<Int>
    }

    /// The stretches, in order; between two of them at least one element was kept.
    let hunks: [Hunk]

    /// Compares two sequences; nil when more than `limit` elements were removed and inserted.
    init?<Element: Hashable>(from old: [Element], to new: [Element], limit: Int) {
        var numbers: [Element: Int] = [:]
        let (old, new) = (Self.numbered(old, &numbers), Self.numbered(new, &numbers))
        let start = zip(old, new).prefix { $0 == $1 }.count
        let rest = min(old.count, new.count) - start
        let end = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.prefix(rest).count
        guard
            let steps = Self.steps(
                from: old[start..<(old.count - end)], to: new[start..<(new.count - end)], limit: limit)
        else { return nil }
        var hunks: [Hunk] = []
        for step in steps {
            if let last = hunks.last, last.old.upperBound == step.old.lowerBound,
                last.new.upperBound == step.new.lowerBound
            {
                hunks[hunks.count - 1].old = last.old.lowerBound..<step.old.upperBound
                hunks[hunks.count - 1].new = last.new.lowerBound..<step.new.upperBound
            } else {
                hunks.append(step)
            }
        }
        self.hunks = hunks
    }

    /// The places of the old sequence that were removed.
    var removals: Set<Int> { Set(self.hunks.flatMap(\.old)) }

    /// The insertions, by the place of the old sequence before which they are.
    func insertions<Element>(from new: [Element]) -> [Int: ArraySlice<Element>] {
        Dictionary(self.hunks.map { ($0.old.lowerBound, new[$0.new]) }, uniquingKeysWith: { first, _ in first })
    }

    /// Small numbers instead of elements, for quick comparison.
    private static func numbered<Element: Hashable>(_ elements: [Element], _ numbers: inout [Element: Int]) -> [Int] {
        elements.map { element in
            if let number = numbers[element] { return number }
            numbers[element] = numbers.count
            return numbers.count - 1
        }
    }
}

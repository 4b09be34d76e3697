import TidemarkJSON

/// The steps from one list of names to another one, with as few moves as possible.
struct ListSteps {
    private(set) var removed: [Int] = []
    private(set) var inserted: [Int] = []
    private(set) var moved: [(from: Int, to: Int)] = []

    /// Compares two lists, each without repeated names. What both begin and end with costs one comparison a name; the rest costs
    /// n log n.
    init(from old: [CodePointString], to new: [CodePointString]) {
        let shorter = min(old.count, new.count)
        var beginning = 0
        while beginning < shorter, old[beginning] == new[beginning] { beginning += 1 }
        var end = 0
        while end < shorter - beginning, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
        self.compare(old, beginning..<(old.count - end), new, beginning..<(new.count - end))
    }

    private mutating func compare(
        _ old: [CodePointString], _ oldRange: Range<Int>, _ new: [CodePointString], _ newRange: Range<Int>
    ) {
        var places: [CodePointString: Int] = [:]
        for place in oldRange { places[old[place]] = place }
        var common: [(from: Int, to: Int)] = []
        for place in newRange {
            if let former = places.removeValue(forKey: new[place]) {
                common.append((former, place))
            } else {
                self.inserted.append(place)
            }
        }
        self.removed = places.values.sorted()
        let resting = Self.longestAscent(common.map(\.from))
        self.moved = common.indices.filter { !resting.contains($0) }.map { common[$0] }
    }

    /// The positions of a longest ascending subsequence.
    private static func longestAscent(_ values: [Int]) -> Set<Int> {
        // The last positions of the best ascents of each length, and the position before each.
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: values.count)
        for (position, value) in values.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[position] = ends[low - 1] }
            if low == ends.count { ends.append(position) } else { ends[low] = position }
        }
        var ascent: Set<Int> = []
        var next = ends.last
        while let position = next {
            ascent.insert(position)
            next = before[position]
        }
        return ascent
    }
}

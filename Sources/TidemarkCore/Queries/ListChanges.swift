/// The positions at which a list has changed since it was delivered. A step costs no more than the number of the steps before
/// it, however long the list is.
struct ListChanges: Sendable {
    /// The steps from the former list to the present one, as ``RecordList/Difference`` has them.
    struct Steps {
        var removed: [Int] = []
        var inserted: [Int] = []
        var moved: [(from: Int, to: Int)] = []

        var count: Int { self.removed.count + self.inserted.count + self.moved.count }
    }

    /// The positions in the former list of the elements that were removed since, ascending.
    private var removed: [Int] = []

    /// The positions in the present list of the elements that were inserted since, ascending.
    private(set) var inserted: [Int] = []

    /// Inserts an element.
    mutating func insert(at index: Int) {
        let place = self.inserted.indices.beginning { self.inserted[$0] >= index }
        for later in place..<self.inserted.count { self.inserted[later] += 1 }
        self.inserted.insert(index, at: place)
    }

    /// Removes an element.
    ///
    /// - Returns: Its position in the former list; nil if it was inserted since.
    mutating func remove(at index: Int) -> Int? {
        let place = self.inserted.indices.beginning { self.inserted[$0] >= index }
        let isNew = place < self.inserted.count && self.inserted[place] == index
        if isNew { self.inserted.remove(at: place) }
        for later in place..<self.inserted.count { self.inserted[later] -= 1 }
        guard !isNew else { return nil }
        // So many elements of both lists are before it.
        let rank = index - place
        let count = self.removed.indices.beginning { self.removed[$0] - $0 > rank }
        self.removed.insert(rank + count, at: count)
        return rank + count
    }

    /// Removes all elements.
    ///
    /// - Parameter count: The length of the present list.
    /// - Returns: For each element its position in the former list; nil if it was inserted since.
    mutating func removeAll(_ count: Int) -> [Int?] {
        let former = 0..<(count - self.inserted.count + self.removed.count)
        let (removed, inserted) = (Set(self.removed), Set(self.inserted))
        var kept = former.filter { !removed.contains($0) }[...]
        self.removed = Array(former)
        self.inserted = []
        return (0..<count).map { inserted.contains($0) ? nil : kept.popFirst() }
    }

    /// The steps between the lists. An element that was neither removed nor inserted keeps its place; as few of the others as
    /// possible move.
    ///
    /// - Parameter origins: For each position of ``inserted``, where the same element was in the former list; nil for a new one.
    func steps(_ origins: [Int?]) -> Steps {
        var (steps, staying) = (Steps(), [(from: Int, to: Int)]())
        for (number, (origin, index)) in zip(origins, self.inserted).enumerated() {
            guard let origin else {
                steps.inserted.append(index)
                continue
            }
            steps.moved.append((origin, index))
            // It can stay if it has the same elements of both lists before it.
            let before = self.removed.indices.beginning { self.removed[$0] >= origin }
            if origin - before == index - number { staying.append((origin, index)) }
        }
        let resting = Set(Self.longestAscent(staying.map(\.from)).map { staying[$0].to })
        let returned = Set(steps.moved.map(\.from))
        steps.removed = self.removed.filter { !returned.contains($0) }
        steps.moved.removeAll { resting.contains($0.to) }
        return steps
    }

    /// The positions of a longest ascending subsequence.
    private static func longestAscent(_ values: [Int]) -> [Int] {
        // The last positions of the best ascents of each length, and the position before each.
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: values.count)
        for (position, value) in values.enumerated() {
            let length = ends.indices.beginning { values[ends[$0]] >= value }
            if length > 0 { before[position] = ends[length - 1] }
            if length == ends.count { ends.append(position) } else { ends[length] = position }
        }
        return Array(
            sequence(state: ends.last) { next in
                defer { next = next.flatMap { before[$0] } }
                return next
            })
    }
}

extension Range<Int> {
    /// The first number for which a condition is true that is false for those before it and true for those after it; the upper
    /// bound if there is none. It costs the logarithm of the length.
    func beginning(of condition: (Int) -> Bool) -> Int {
        var (low, high) = (self.lowerBound, self.upperBound)
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Array {
    /// Returns the elements in the order of their paths.
    ///
    /// The texts of many are copied into one buffer first: a comparison of two pointers would retain and release both of their strings,
    /// and a merge of large documents makes a million of them.
    func sorted(byPath path: (Element) -> JSONPointer) -> [Element] {
        guard self.count > 16 else { return self.sorted { path($0) < path($1) } }
        var texts: [UInt8] = []
        var places: [Range<Int>] = []
        places.reserveCapacity(self.count)
        for element in self {
            let start = texts.count
            texts.append(contentsOf: path(element).text.utf8)
            places.append(start..<texts.count)
        }
        var order = Array<Int>(self.indices)
        let isSorted = unsafe texts.withUnsafeBufferPointer { texts in
            func precedes(_ left: Int, _ right: Int) -> Bool {
                unsafe UnsafeBufferPointer(rebasing: texts[places[left]])
                    .precedes(UnsafeBufferPointer(rebasing: texts[places[right]]))
            }
            if order.dropFirst().allSatisfy({ !precedes($0, $0 - 1) }) { return true }
            order.sort { precedes($0, $1) }
            return false
        }
        return isSorted ? self : order.map { self[$0] }
    }
}

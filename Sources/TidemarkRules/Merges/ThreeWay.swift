/// The stretches that two scripts over the same sequence change, alone or together.
struct ThreeWay {
    /// A stretch of the base that at least one side changed.
    struct Region: Hashable {
        /// The stretch of the base.
        var base: Range<Int>

        /// The server's replacement; nil when the server did not change it.
        var server: Range<Int>?

        /// The client's replacement; nil when the client did not change it.
        var client: Range<Int>?
    }

    /// The stretches, in order.
    private(set) var regions: [Region] = []

    private var server: ArraySlice<EditScript.Hunk>
    private var client: ArraySlice<EditScript.Hunk>

    /// Sorts the changes of two scripts; overlapping changes, and two insertions at the same place, are one region.
    init(server: EditScript, client: EditScript) {
        self.server = server.hunks[...]
        self.client = client.hunks[...]
        while let first = self.next() {
            self.regions.append(self.region(from: first))
        }
    }

    /// Returns the next change; an insertion before a place comes before a change of the place.
    private func next() -> EditScript.Hunk? {
        guard let theirs = self.server.first, let ours = self.client.first else {
            return self.server.first ?? self.client.first
        }
        let theirKey = (theirs.old.lowerBound, theirs.old.isEmpty ? 0 : 1)
        return theirKey <= (ours.old.lowerBound, ours.old.isEmpty ? 0 : 1) ? theirs : ours
    }

    private mutating func region(from first: EditScript.Hunk) -> Region {
        var base = first.old
        var theirs: [EditScript.Hunk] = []
        var ours: [EditScript.Hunk] = []
        while true {
            if let hunk = Self.take(&self.server, meeting: base) {
                theirs.append(hunk)
                base = base.lowerBound..<max(base.upperBound, hunk.old.upperBound)
            } else if let hunk = Self.take(&self.client, meeting: base) {
                ours.append(hunk)
                base = base.lowerBound..<max(base.upperBound, hunk.old.upperBound)
            } else {
                return Region(base: base, server: Self.span(theirs, over: base), client: Self.span(ours, over: base))
            }
        }
    }

    private static func take(
        _ hunks: inout ArraySlice<EditScript.Hunk>, meeting base: Range<Int>
    ) -> EditScript.Hunk? {
        guard let hunk = hunks.first, Self.meet(hunk.old, base) else { return nil }
        return hunks.popFirst()
    }

    private static func meet(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        if left == right { return true }
        if left.isEmpty { return right.lowerBound < left.lowerBound && left.lowerBound < right.upperBound }
        if right.isEmpty { return left.lowerBound < right.lowerBound && right.lowerBound < left.upperBound }
        return left.overlaps(right)
    }

    /// Returns a side's replacement for a stretch, with the unchanged parts at its ends.
    private static func span(_ hunks: [EditScript.Hunk], over base: Range<Int>) -> Range<Int>? {
        guard let first = hunks.first, let last = hunks.last else { return nil }
        let start = first.new.lowerBound - (first.old.lowerBound - base.lowerBound)
        return start..<(last.new.upperBound + (base.upperBound - last.old.upperBound))
    }
}

// The search for the shortest script: diagonal by diagonal, the furthest first (Myers 1986).

extension EditScript {
    /// The furthest old place that each diagonal (old place minus new place) has reached.
    private struct Reach {
        /// The diagonals -radius … radius.
        var places: [Int]
        var radius: Int

        subscript(diagonal: Int) -> Int {
            get { abs(diagonal) <= self.radius ? self.places[diagonal + self.radius] : -1 }
            set { self.places[diagonal + self.radius] = newValue }
        }

        /// Whether the furthest way onto a diagonal inserts an element, or else removes one, and where it starts.
        func step(onto diagonal: Int) -> (inserts: Bool, place: Int) {
            let (above, below) = (self[diagonal + 1], self[diagonal - 1])
            return above > below ? (true, above) : (false, below)
        }

        /// This reach, with one more diagonal on each side.
        var widened: Reach { Reach(places: [-1] + self.places + [-1], radius: self.radius + 1) }
    }

    /// Single removals and insertions, in order; nil when there are more than `limit`.
    static func steps(from old: ArraySlice<Int>, to new: ArraySlice<Int>, limit: Int) -> [Hunk]? {
        let goal = old.count - new.count
        var reach = Reach(places: [Self.snake(from: 0, on: 0, old, new)], radius: 0)
        var history = [reach]
        while !(abs(goal) <= reach.radius && reach[goal] == old.count) {
            guard reach.radius < limit else { return nil }
            var next = reach.widened
            for diagonal in stride(from: -next.radius, through: next.radius, by: 2) {
                let step = reach.step(onto: diagonal)
                next[diagonal] = Self.snake(from: step.inserts ? step.place : step.place + 1, on: diagonal, old, new)
            }
            reach = next
            history.append(reach)
        }
        return Self.trace(history, from: old, to: new)
    }

    /// Returns the end of the equal stretch of two sequences.
    private static func snake(
        from start: Int, on diagonal: Int, _ old: ArraySlice<Int>, _ new: ArraySlice<Int>
    ) -> Int {
        var place = start
        while place < old.count, place - diagonal < new.count,
            old[old.startIndex + place] == new[new.startIndex + place - diagonal]
        {
            place += 1
        }
        return place
    }

    /// Returns the steps, found by walking back from the end.
    private static func trace(_ history: [Reach], from old: ArraySlice<Int>, to new: ArraySlice<Int>) -> [Hunk] {
        var steps: [Hunk] = []
        var diagonal = old.count - new.count
        for reach in history.dropLast().reversed() {
            let step = reach.step(onto: diagonal)
            diagonal += step.inserts ? 1 : -1
            let before = old.startIndex + step.place
            let other = new.startIndex + step.place - diagonal
            steps.append(
                Hunk(
                    old: before..<(step.inserts ? before : before + 1), new: other..<(step.inserts ? other + 1 : other))
            )
        }
        return steps.reversed()
    }
}

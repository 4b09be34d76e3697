import TidemarkJSON

/// The steps that can be undone, and those that can be redone, of an ``UndoHistory``.
package struct UndoStack: Sendable {
    /// One of the two lists of steps.
    package enum Direction: String, CaseIterable, Hashable, Sendable {
        case undo, redo

        /// The list that gets the step after this one has lost it.
        var other: Self {
            switch self {
            case .undo: .redo
            case .redo: .undo
            }
        }
    }

    /// The changes of a transaction, which are undone together.
    package struct Step: Sendable {
        /// The name for the user.
        package let name: String

        /// The changes, in their order.
        package let edits: [RecordEdit]

        package init(name: String, edits: [RecordEdit]) {
            (self.name, self.edits) = (name, edits)
        }

        /// About the memory that it uses, in bytes.
        func length(upTo limit: Int) -> Int {
            self.edits.reduce(0) { sum, edit in
                sum + [edit.before, edit.after].reduce(64) { $0 + ($1?.length(upTo: limit) ?? 0) }
            }
        }
    }

    /// The default limits.
    package static let usualSteps = 100
    package static let usualBytes = 16 << 20

    private var done: [Step] = []
    private var undone: [Step] = []
    private let steps: Int
    private let bytes: Int

    /// Makes an empty stack.
    ///
    /// - Parameters:
    ///   - steps: The maximum number of steps of each list; the oldest are dropped.
    ///   - bytes: About how much memory the steps of both lists use. A step that is larger alone empties its list.
    package init(steps: Int = Self.usualSteps, bytes: Int = Self.usualBytes) {
        (self.steps, self.bytes) = (max(steps, 1), bytes)
    }

    /// The steps that can be undone, or redone.
    private subscript(direction: Direction) -> [Step] {
        get { direction == .undo ? self.done : self.undone }
        set { if direction == .undo { self.done = newValue } else { self.undone = newValue } }
    }

    /// Returns the step that is undone or redone next; nil if there is none.
    package func last(_ direction: Direction) -> Step? { self[direction].last }

    /// Adds a step of the app, which drops the undone ones. A step without a change is none.
    package mutating func add(_ step: Step) {
        guard step.edits.contains(where: { $0.before != $0.after }) else { return }
        self.undone = []
        self.done.append(step)
        self.trim()
    }

    /// Removes and returns the step that is undone or redone next; nil if there is none.
    package mutating func removeLast(_ direction: Direction) -> Step? { self[direction].popLast() }

    /// Adds a step again that was removed and that could not be undone or redone.
    package mutating func restore(_ step: Step, to direction: Direction) { self[direction].append(step) }

    /// Adds the changes of the undo or redo of a step to the other list: undoing these restores no field that was left.
    package mutating func add(_ edits: [RecordEdit], of step: Step, after direction: Direction) {
        guard !edits.isEmpty else { return }
        self.restore(Step(name: step.name, edits: edits), to: direction.other)
        self.trim()
    }

    /// Drops all steps.
    package mutating func removeAll() {
        (self.done, self.undone) = ([], [])
    }

    /// Drops the oldest steps that no longer fit.
    private mutating func trim() {
        var bytes = self.bytes
        func fitting(_ steps: [Step]) -> Int {
            var count = 0
            for step in steps.reversed().prefix(self.steps) {
                bytes -= step.length(upTo: self.bytes)
                guard bytes >= 0 else { break }
                count += 1
            }
            return count
        }
        self.done.removeFirst(self.done.count - fitting(self.done))
        self.undone.removeFirst(self.undone.count - fitting(self.undone))
    }
}

import TidemarkCore
import TidemarkJSON

/// The undo history of the app on a device: the steps of the library, and what the model knows about each of them.
struct SimulatedHistory {
    /// A change of a record by a step.
    struct Change {
        var place: SimulationStep.Place
        var before: JSON?
        var after: JSON?
        /// How many values the device had discarded when the change was made; nil if that changed within the step.
        var discards: Int?
    }

    var stack = UndoStack()
    private var done: [[Change]] = []
    private var undone: [[Change]] = []

    /// The changes of the step that is undone or redone next; nil if there is none.
    func last(_ direction: UndoStack.Direction) -> [Change]? {
        switch direction {
        case .undo: self.done.last
        case .redo: self.undone.last
        }
    }

    /// Adds a step of the app. A step without a change is none.
    mutating func add(_ edits: [RecordEdit], _ changes: [Change]) {
        self.stack.add(UndoStack.Step(name: "", edits: edits))
        guard changes.contains(where: { $0.before != $0.after }) else { return }
        self.done = Array((self.done + [changes]).suffix(UndoStack.usualSteps))
        self.undone = []
    }

    /// Moves the step that was undone or redone: its own changes are undone next.
    mutating func move(_ edits: [RecordEdit], _ changes: [Change], after direction: UndoStack.Direction) {
        if let step = self.stack.removeLast(direction) { self.stack.add(edits, of: step, after: direction) }
        let hasChanged = changes.contains { $0.before != $0.after }
        switch direction {
        case .undo:
            self.done.removeLast()
            if hasChanged { self.undone.append(changes) }
        case .redo:
            self.undone.removeLast()
            if hasChanged { self.done = Array((self.done + [changes]).suffix(UndoStack.usualSteps)) }
        }
    }
}

/// A draft of a counter, which its user changes and saves again and again.
struct SimulatedCounting {
    let saved: SavedDraft
    /// The number that was saved last, and the number that the user has typed.
    var base: Int
    var number: Int

    init?(_ counter: JSON?) {
        guard let counter, let number = counter.n?.int else { return nil }
        (self.saved, self.base, self.number) = (SavedDraft(counter), number, number)
    }
}

import Tidemark

/// The state of a dialog about a conflict: the next question, and the record after the answers so far.
///
/// The user is asked about the fields that no rule decided, and on demand about the others. If the rules decided every
/// field and the tactic still asks, the user is asked about every field. The review starts from the merged record, so all
/// other fields stay merged.
struct ConflictReview {
    /// A question.
    enum Step: Equatable {
        /// One side deleted the record: which side is kept?
        case sides

        /// Which value is kept?
        case clash(JSONMerge.Clash)

        /// All questions are answered: is the result right?
        case confirmation
    }

    private var answers: RecordConflict.Choices
    private let newPK: String
    private var waiting: [JSONMerge.Clash]
    private var passed: Set<JSONPointer> = []

    /// The decision about the whole record, if the user made one.
    private var whole: Verdict?

    /// Starts a review.
    ///
    /// - Parameter newPK: The pk of the client's record if both are kept.
    init(_ conflict: RecordConflict, newPK: String) {
        self.answers = RecordConflict.Choices(conflict)
        self.newPK = newPK
        self.waiting = conflict.merged == nil ? [] : conflict.asked
    }

    var conflict: RecordConflict { self.answers.conflict }

    /// The decision so far; nil while a side has to be chosen.
    var verdict: Verdict? { self.whole ?? self.answers.verdict ?? self.record.map { .merge($0) } }

    /// The record with the answers so far; nil while a side has to be chosen.
    var record: JSON? { self.answers.record }

    var step: Step {
        if let clash = self.waiting.first { return .clash(clash) }
        return self.verdict == nil ? .sides : .confirmation
    }

    /// The possible answers to the current question.
    var choices: [Choice] {
        switch self.step {
        case .sides: return [.server, .client, .quit]
        case .confirmation:
            let isAsked = self.conflict.merged == nil || !self.conflict.clashes.isEmpty
            return [.yes] + (isAsked ? [.all] : []) + [.quit]
        case .clash(let clash):
            let isOpen = clash.winner == .undecided && !self.passed.contains(clash.path)
            let merged = RecordConflict.Choices(self.conflict).value(of: clash)
            let isThird = merged != clash.server && merged != clash.client
            return [.server, .client, .edit] + (isThird ? [.merged] : []) + [.keepBoth]
                + (self.others.isEmpty ? [] : [.all]) + [.quit] + (isOpen ? [] : [.next])
        }
    }

    /// The current value of a field; nil if it is removed.
    func present(_ clash: JSONMerge.Clash) -> JSON? { self.whole == nil ? self.answers.value(of: clash) : nil }

    /// Sets the value of the current field, and moves to the next question.
    ///
    /// - Parameter answer: Nil takes the value that the rules merged.
    /// - Throws: ``TidemarkError`` if the answer is invalid; the question stays the same.
    mutating func answer(_ answer: RecordConflict.Choices.Answer?) throws(TidemarkError) {
        guard self.whole == nil, let clash = self.waiting.first else { return }
        try self.answers.set(answer, for: clash.path)
        self.keep()
    }

    /// Keeps the value of the current field, and moves to the next question.
    mutating func keep() {
        guard let clash = self.waiting.first else { return }
        self.passed.insert(clash.path)
        self.waiting.removeFirst()
    }

    /// Decides the whole record; the next question is the confirmation.
    mutating func take(_ choice: Choice) {
        switch choice {
        case .server: self.whole = .takeServer
        case .client: self.whole = .takeClient
        case .keepBoth: self.whole = .keepBoth(newPK: self.newPK)
        case .edit, .merged, .all, .yes, .quit, .next: return
        }
        self.waiting = []
    }

    /// Also asks about the fields that the rules decided; after the last question, asks about every field again.
    mutating func askAll() {
        guard self.waiting.isEmpty else {
            self.waiting += self.others
            return
        }
        self.waiting = self.conflict.merged == nil ? [] : self.conflict.clashes
        guard self.whole != nil else { return }
        self.passed = []
        self.whole = nil
        self.answers = RecordConflict.Choices(self.conflict)
    }

    /// The clashes that the rules decided and that the user has not seen yet.
    private var others: [JSONMerge.Clash] {
        let known = self.passed.union(self.waiting.map(\.path))
        return self.conflict.clashes.filter { !known.contains($0.path) }
    }
}

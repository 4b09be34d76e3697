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

    /// The value that is kept for a field.
    enum Answer {
        case server, client

        /// The value that the rules merged.
        case merged

        /// A value that the user typed.
        case value(JSON)
    }

    let conflict: RecordConflict
    private let fields: FieldRules
    private let newPK: String
    private var waiting: [JSONMerge.Clash]
    private var passed: Set<JSONPointer> = []

    /// The decision so far; nil while a side has to be chosen.
    private(set) var verdict: Verdict?

    /// Starts a review.
    ///
    /// - Parameters:
    ///   - fields: The rules that merged the record; they resolve the path of a clash.
    ///   - newPK: The pk of the client's record if both are kept.
    init(_ conflict: RecordConflict, fields: FieldRules, newPK: String) {
        self.conflict = conflict
        self.fields = fields
        self.newPK = newPK
        self.waiting = conflict.merged == nil ? [] : conflict.asked
        self.verdict = conflict.merged.map { .merge($0) }
    }

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
            let merged = self.value(at: clash.path, in: self.conflict.merged)
            let isThird = merged != clash.server && merged != clash.client
            return [.server, .client, .edit] + (isThird ? [.merged] : []) + [.keepBoth]
                + (self.others.isEmpty ? [] : [.all]) + [.quit] + (isOpen ? [] : [.next])
        }
    }

    /// The current value of a field; nil if it is removed.
    func present(_ clash: JSONMerge.Clash) -> JSON? {
        guard case .merge(let record) = self.verdict else { return nil }
        return self.value(at: clash.path, in: record)
    }

    /// Sets the value of the current field, and moves to the next question.
    ///
    /// - Throws: ``CommandFailure`` if the answer is invalid; the question stays the same.
    mutating func answer(_ answer: Answer) throws(CommandFailure) {
        guard case .merge(let record) = self.verdict, let clash = self.waiting.first else { return }
        let value: JSON? =
            switch answer {
            case .server: clash.server
            case .client: clash.client
            case .merged: self.value(at: clash.path, in: self.conflict.merged)
            case .value(let typed): typed
            }
        self.verdict = .merge(try self.putting(value, at: clash.path, into: record))
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
        case .server: self.verdict = .takeServer
        case .client: self.verdict = .takeClient
        case .keepBoth: self.verdict = .keepBoth(newPK: self.newPK)
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
        if case .merge = self.verdict { return }
        self.passed = []
        self.verdict = self.conflict.merged.map { .merge($0) }
    }

    /// The clashes that the rules decided and that the user has not seen yet.
    private var others: [JSONMerge.Clash] {
        let known = self.passed.union(self.waiting.map(\.path))
        return self.conflict.clashes.filter { !known.contains($0.path) }
    }

    private func value(at path: JSONPointer, in record: JSON?) -> JSON? {
        self.fields.value(at: path, in: record)
    }

    private func putting(_ value: JSON?, at path: JSONPointer, into record: JSON) throws(CommandFailure) -> JSON {
        guard let changed = self.fields.setting(path, to: value, in: record) else { throw Self.noPlace(path) }
        guard changed.object != nil else { throw CommandFailure("A record is a JSON object.") }
        return changed
    }

    private static func noPlace(_ path: JSONPointer) -> CommandFailure {
        CommandFailure("The record has no place for \(path.text) any more, after your other answers.")
    }
}

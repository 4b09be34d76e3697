import Tidemark

/// A conflict as it is put to a person: what is asked next, and what the answers so far make of the record.
///
/// The fields that no rule decided are asked first, the others on demand; where the rules decided every field and the
/// tactic asks all the same, every field is asked. It starts from what the rules merged, so that what nobody was asked
/// about stays merged.
struct ConflictReview {
    /// What is asked.
    enum Step: Equatable {
        /// One side deleted the record: which side stands?
        case sides

        /// Which value stands?
        case clash(JSONMerge.Clash)

        /// All is answered: is it right?
        case confirmation
    }

    /// Which value of a field stands.
    enum Answer {
        case server, client

        /// What the rules made of both.
        case merged

        /// A value that was typed.
        case value(JSON)
    }

    let conflict: RecordConflict
    private let fields: FieldRules
    private let newPK: String
    private var waiting: [JSONMerge.Clash]
    private var passed: Set<JSONPointer> = []

    /// What is decided when nothing more is answered; nil while a side has to be chosen.
    private(set) var verdict: Verdict?

    /// Begins a review.
    ///
    /// - Parameters:
    ///   - fields: The rules that merged it, which know what the path of a clash stands for.
    ///   - newPK: The name of our record when both are kept.
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

    /// What may be answered to the present question.
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

    /// The value of a field as it stands now; nil when it is removed.
    func present(_ clash: JSONMerge.Clash) -> JSON? {
        guard case .merge(let record) = self.verdict else { return nil }
        return self.value(at: clash.path, in: record)
    }

    /// Puts a value into the record, and goes on to the next question.
    ///
    /// - Throws: What is wrong with the answer; then the same is asked again.
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

    /// Leaves the field as it stands, and goes on to the next question.
    mutating func keep() {
        guard let clash = self.waiting.first else { return }
        self.passed.insert(clash.path)
        self.waiting.removeFirst()
    }

    /// Decides the record as a whole; what is left to ask is the confirmation.
    mutating func take(_ choice: Choice) {
        switch choice {
        case .server: self.verdict = .takeServer
        case .client: self.verdict = .takeClient
        case .keepBoth: self.verdict = .keepBoth(newPK: self.newPK)
        case .edit, .merged, .all, .yes, .quit, .next: return
        }
        self.waiting = []
    }

    /// Asks about the fields that the rules decided, too; when all is answered, about everything again.
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

    /// What the rules decided and nobody has looked at yet.
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
        CommandFailure("The record has no place for \(path.text) any more, after what you chose around it.")
    }
}

public import TidemarkJSON

extension RecordConflict {
    /// The answers of a user to a conflict, field by field, before they are sent; for a sheet or a dialogue.
    ///
    /// ```swift
    /// for open in try await notes.conflicts {
    ///     var choices = open.choices
    ///     for field in choices.fields { print(field.path, field.client ?? "removed", field.server ?? "removed") }
    ///     choices["/due"] = .client
    ///     choices["/lines/b/text"] = .value("Oat milk")           // the element with the key b
    ///     print(choices.record ?? "deleted")                      // as it would be now
    ///     if let verdict = choices.verdict { try await open.resolve(verdict) }
    /// }
    /// ```
    public struct Choices: Hashable, Sendable {
        /// An answer for a field.
        public enum Answer: Hashable, Sendable {
            /// The server's value.
            case server

            /// The client's value.
            case client

            /// Another value; nil removes the field.
            case value(JSON?)

            fileprivate var side: Verdict.Side? {
                switch self {
                case .server: .server
                case .client: .client
                case .value: nil
                }
            }
        }

        /// The conflict.
        public let conflict: RecordConflict

        /// The answers so far.
        public private(set) var answers: [JSONPointer: Answer] = [:]

        /// Makes an empty value.
        public init(_ conflict: RecordConflict) {
            self.conflict = conflict
        }

        /// The fields that need an answer; see ``RecordConflict/asked``. The others, ``RecordConflict/clashes``, may have one.
        public var fields: [JSONMerge.Clash] { self.conflict.asked }

        /// Whether each of ``fields`` has an answer.
        public var isComplete: Bool { self.fields.allSatisfy { self.answers[$0.path] != nil } }

        /// The answer for a field; nil if there is none. The path of an element of an array that is merged by key has its key, as
        /// in ``fields``. An answer that ``set(_:for:)`` refuses is not set.
        public subscript(path: JSONPointer) -> Answer? {
            get { self.answers[path] }
            set { try? self.set(newValue, for: path) }
        }

        /// Sets the answer for a field.
        ///
        /// - Parameter answer: Nil takes the answer away.
        /// - Throws: ``TidemarkError/Code/invalidAnswers`` if the path is not a conflicting field, if it has no place in the
        ///   record any more after the other answers, or if the record would not be an object.
        public mutating func set(_ answer: Answer?, for path: JSONPointer) throws(TidemarkError) {
            var next = self
            next.answers[path] = answer
            if let flaw = next.flaw(at: path) { throw TidemarkError(.invalidAnswers, flaw) }
            self = next
        }

        /// The record with the answers so far; fields without an answer have their merged value. Nil if it is deleted, or if one
        /// side is a deletion and there is no answer.
        public var record: JSON? { self.decided ?? nil }

        /// The decision; nil while a field has no answer.
        public var verdict: Verdict? {
            guard self.isComplete else { return nil }
            let asked = Set(self.fields.map(\.path))
            let sides = self.answers.compactMapValues(\.side)
            if sides.count == self.answers.count, asked == Set(sides.keys) { return .fields(sides) }
            return self.record.map { .merge($0) }
        }
    }
}

extension RecordConflict.Choices {
    /// Explains why the answer for a path can't be; nil if it can.
    private func flaw(at path: JSONPointer) -> String? {
        let name = "“\(self.conflict.pk)” in \(self.conflict.collection)"
        guard self.conflict.clashes.contains(where: { $0.path == path }) else {
            return "\(path.isRoot ? "The record" : path.text) is no conflicting field of \(name)."
        }
        guard let decided = self.decided else {
            return "\(name) has no place for \(path.text) any more, after the other answers."
        }
        if let decided, decided.object == nil {
            return "A record is a JSON object; \(name) would be \(decided.text.prefix(60))."
        }
        guard case .value(let value) = self.answers[path] else { return nil }
        if path.isRoot, value == nil { return "\(name) is deleted by the choice of the side that deleted it." }
        let isThere = path.isRoot || self.conflict.merge.fields.value(at: path, in: decided) == value
        return isThere ? nil : "\(path.text) of \(name) would not be found any more: the value has another key."
    }

    /// The record with the answers so far, an inner nil if it is deleted. Nil if an answer has no place.
    private var decided: JSON?? {
        guard let merged = self.conflict.merged else {
            switch self.answers[.root] {
            case .server: return .some(self.conflict.server)
            case .client: return .some(self.conflict.client)
            case .value(let value): return .some(value)
            case nil: return .some(nil)
            }
        }
        let fields = self.conflict.merge.fields
        let chosen = self.conflict.clashes.filter { self.answers[$0.path]?.side != nil }
        var record = fields.settling(chosen, of: self.conflict) { self.answers[$0.path]?.side } ?? merged
        for clash in self.conflict.clashes {
            guard case .value(let value) = self.answers[clash.path] else { continue }
            guard let next = fields.setting(clash.path, to: value, in: record) else { return nil }
            record = next
        }
        return .some(record)
    }

    /// The value that a field has with the answers so far; nil if it has none.
    package func value(of clash: JSONMerge.Clash) -> JSON? {
        guard !clash.path.isRoot else { return self.record }
        return self.record.flatMap { self.conflict.merge.fields.value(at: clash.path, in: $0) }
    }
}

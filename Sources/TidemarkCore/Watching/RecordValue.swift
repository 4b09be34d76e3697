public import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

/// A visible record as a value of the app's type, with its pk and its phase.
///
/// ```swift
/// for note in try await notes.all(as: Note.self) {
///     print(note.pk, try note.value.title, note.phase == .synced ? "" : "not sent yet")
/// }
/// ```
///
/// A record that does not fit the type, because another version of the app wrote it, or that is damaged in the store, is
/// included as well: its ``value`` throws, and the other records are not affected.
public struct RecordValue<Value: Sendable>: Sendable, Identifiable {
    /// Shared by all copies: a list that is kept costs a reference for each record when the next one is made.
    private final class Content: Sendable {
        let pk: String
        let phase: RecordPhase
        let result: Result<Value, TidemarkError>

        init(pk: String, phase: RecordPhase, result: Result<Value, TidemarkError>) {
            (self.pk, self.phase, self.result) = (pk, phase, result)
        }
    }

    private let content: Content

    /// Makes a value for a preview or a test.
    public init(pk: String, phase: RecordPhase, result: Result<Value, TidemarkError>) {
        self.content = Content(pk: pk, phase: phase, result: result)
    }

    /// The pk of the record.
    public var pk: String { self.content.pk }

    /// The phase: whether the record is in sync, pending, being sent, waiting for a decision or held.
    public var phase: RecordPhase { self.content.phase }

    /// Whether the record has changes that the server has not confirmed yet; see ``RecordPhase/isPending``.
    public var isPending: Bool { self.phase.isPending }

    /// Whether the record is in conflict or held, so that the app or the user has to act; see ``RecordPhase/needsAttention``.
    public var needsAttention: Bool { self.phase.needsAttention }

    /// The value, or the error: ``TidemarkError/Code/invalidContent`` if the record does not fit the type,
    /// ``TidemarkError/Code/recordDamaged`` if the store holds it in a form that can't be read.
    public var result: Result<Value, TidemarkError> { self.content.result }

    /// The value.
    ///
    /// - Throws: The error of ``result``.
    public var value: Value {
        get throws(TidemarkError) { try self.result.get() }
    }

    /// The pk, compared by code point as all pks are (Contract §4), for a list.
    public var id: CodePointString { CodePointString(self.pk) }
}

extension RecordValue: Equatable where Value: Equatable {
    /// Whether both are equal: two errors are equal if their code and message are.
    public static func == (left: Self, right: Self) -> Bool {
        if left.content === right.content { return true }
        guard left.id == right.id, left.phase == right.phase else { return false }
        switch (left.result, right.result) {
        case (.success(let one), .success(let other)): return one == other
        case (.failure(let one), .failure(let other)): return one.code == other.code && one.message == other.message
        case (.success, .failure), (.failure, .success): return false
        }
    }
}

extension RecordValue: CustomReflectable {
    /// The pk, the phase and the result, for `print` and the message of a test.
    public var customMirror: Mirror {
        Mirror(self, children: ["pk": self.pk, "phase": self.phase, "result": self.result], displayStyle: .struct)
    }
}

extension RecordValue where Value: Decodable {
    /// Makes a value of a record; nil if it was deleted here.
    init?(_ record: RecordSnapshot, dates: JSONDates) {
        guard record.phase.state != .deleted else { return nil }
        self.init(
            pk: record.pk, phase: record.phase,
            result: Result { () throws(TidemarkError) in try record.value(dates: dates) })
    }
}

extension RecordValue where Value: Decodable {
    /// Makes a value of a record of a query, whose content was parsed already.
    init?(_ match: QueryMatch, dates: JSONDates) {
        guard let content = match.content else {
            self.init(match.record, dates: dates)
            return
        }
        let record = match.record
        self.init(
            pk: record.pk, phase: record.phase,
            result: Result { () throws(TidemarkError) in try record.value(content, dates: dates) })
    }
}

extension RecordSnapshot {
    fileprivate func value<Value: Decodable>(dates: JSONDates) throws(TidemarkError) -> Value {
        try self.value(try self.content, dates: dates)
    }

    fileprivate func value<Value: Decodable>(_ content: JSON?, dates: JSONDates) throws(TidemarkError) -> Value {
        if let json = content as? Value { return json }
        guard let content else {
            throw TidemarkError(
                .recordDamaged, "“\(self.pk)” in \(self.collection) has no content in this store: it is \(self.phase).")
        }
        do {
            return try content.decode(Value.self, dates: dates)
        } catch {
            throw TidemarkError(
                .invalidContent, "“\(self.pk)” in \(self.collection) is not a \(Value.self): \(error).", cause: error)
        }
    }
}

extension [RecordSnapshot] {
    /// Returns the values of records. It runs off the caller's actor, so that a view does not wait for it.
    @concurrent
    func values<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates
    ) async -> [RecordValue<Value>] {
        self.compactMap { RecordValue($0, dates: dates) }
    }
}

public import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

/// A record that the app sees, as a value of the app's own, with its name and where it stands.
///
/// ```swift
/// for note in try await notes.all(as: Note.self) {
///     print(note.pk, try note.value.title, note.phase == .synced ? "" : "not sent yet")
/// }
/// ```
///
/// A record that is not what the type says, since another version of the app wrote it, or that the store holds damaged, is
/// there as well: its ``value`` throws, and the records beside it don't.
public struct RecordValue<Value: Sendable>: Sendable, Identifiable {
    /// The name of the record.
    public let pk: String

    /// Where it stands: whether it is in step, waits, is on its way, waits for a decision or is held.
    public let phase: RecordPhase

    /// The value, or why there is none: ``TidemarkError/Code/invalidContent`` when the record does not fit the type,
    /// ``TidemarkError/Code/recordDamaged`` when the store holds it in a form that can't be read.
    public let result: Result<Value, TidemarkError>

    /// Makes a value, as a preview or a test needs one.
    public init(pk: String, phase: RecordPhase, result: Result<Value, TidemarkError>) {
        self.pk = pk
        self.phase = phase
        self.result = result
    }

    /// The value.
    ///
    /// - Throws: What ``result`` holds in its place.
    public var value: Value {
        get throws(TidemarkError) { try self.result.get() }
    }

    /// The pk, told apart by code point as all pks are (SPEC §4), for a list.
    public var id: CodePointString { CodePointString(self.pk) }
}

extension RecordValue: Equatable where Value: Equatable {
    /// Whether both show the same: two that can't be read do so when they say the same about it.
    public static func == (left: Self, right: Self) -> Bool {
        guard left.id == right.id, left.phase == right.phase else { return false }
        switch (left.result, right.result) {
        case (.success(let one), .success(let other)): return one == other
        case (.failure(let one), .failure(let other)): return one.code == other.code && one.message == other.message
        case (.success, .failure), (.failure, .success): return false
        }
    }
}

extension RecordValue where Value: Decodable {
    /// What the app sees of a record; nil when it was deleted here.
    init?(_ record: RecordSnapshot, dates: JSONDates) {
        guard record.phase.state != .deleted else { return nil }
        self.init(
            pk: record.pk, phase: record.phase,
            result: Result { () throws(TidemarkError) in try record.value(dates: dates) })
    }
}

extension RecordSnapshot {
    fileprivate func value<Value: Decodable>(dates: JSONDates) throws(TidemarkError) -> Value {
        guard let content = try self.content else {
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
    /// What the app sees of records, made away from the caller's actor: a screen does not wait for it.
    @concurrent
    func values<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates
    ) async -> [RecordValue<Value>] {
        self.compactMap { RecordValue($0, dates: dates) }
    }
}

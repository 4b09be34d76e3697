public import TidemarkJSON
public import TidemarkMachine
public import TidemarkRules

/// A visible record as a value of the app's type, with its pk and its phase.
///
/// ```swift
/// for note in try await notes.all().records {
///     print(note.pk, note.title, note.isPending ? "not sent yet" : "")     // or note.value.title
/// }
/// ```
///
/// The members of the value are those of the record itself, so `note.title` is `note.value.title`; a member with the name of one of
/// the properties here, such as `id`, is read as `note.value.id`. A record that does not fit the type is an ``UnreadableRecord``.
@dynamicMemberLookup
public struct RecordValue<Value: Sendable>: Sendable, Identifiable {
    /// Shared by all copies: a list that is kept costs a reference for each record when the next one is made.
    private final class Content: Sendable {
        let pk: String
        let phase: RecordPhase
        let value: Value

        init(pk: String, phase: RecordPhase, value: Value) {
            (self.pk, self.phase, self.value) = (pk, phase, value)
        }
    }

    private let content: Content

    /// Makes a value for a preview or a test.
    public init(pk: String, phase: RecordPhase, value: Value) {
        self.content = Content(pk: pk, phase: phase, value: value)
    }

    /// The pk of the record.
    public var pk: String { self.content.pk }

    /// The phase: whether the record is in sync, pending, being sent, waiting for a decision or held.
    public var phase: RecordPhase { self.content.phase }

    /// Whether the record has changes that the server has not confirmed yet; see ``RecordPhase/isPending``.
    public var isPending: Bool { self.phase.isPending }

    /// Whether the record is in conflict or held, so that the app or the user has to act; see ``RecordPhase/needsAttention``.
    public var needsAttention: Bool { self.phase.needsAttention }

    /// The value.
    public var value: Value { self.content.value }

    /// A member of the value.
    public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member {
        self.value[keyPath: member]
    }

    /// The pk, compared by code point as all pks are (Contract §4), for a list.
    public var id: CodePointString { CodePointString(self.pk) }
}

extension RecordValue: Equatable where Value: Equatable {
    /// Whether pk, phase and value are equal.
    public static func == (left: Self, right: Self) -> Bool {
        if left.content === right.content { return true }
        return left.id == right.id && left.phase == right.phase && left.value == right.value
    }
}

extension RecordValue: CustomReflectable {
    /// The pk, the phase and the value, for `print` and the message of a test.
    public var customMirror: Mirror {
        Mirror(self, children: ["pk": self.pk, "phase": self.phase, "value": self.value], displayStyle: .struct)
    }
}

/// A visible record that can't be read as the type of its collection: another version of the app wrote it, or it is damaged in the
/// store. The other records are not affected.
///
/// ```swift
/// for record in try await notes.all().unreadable { print(record.pk, record.error) }
/// ```
///
/// `client["notes"]` reads it as JSON, unless it is damaged.
public struct UnreadableRecord: Sendable, Identifiable {
    /// The pk of the record.
    public let pk: String

    /// The phase of the record.
    public let phase: RecordPhase

    /// The reason: ``TidemarkError/Code/invalidContent`` if the record does not fit the type,
    /// ``TidemarkError/Code/recordDamaged`` if the store holds it in a form that can't be read.
    public let error: TidemarkError

    /// Makes a value for a preview or a test.
    public init(pk: String, phase: RecordPhase, error: TidemarkError) {
        (self.pk, self.phase, self.error) = (pk, phase, error)
    }

    /// The pk, compared by code point as all pks are (Contract §4), for a list.
    public var id: CodePointString { CodePointString(self.pk) }
}

/// A visible record that was read as a type.
enum ReadRecord<Value: Sendable>: Sendable {
    case value(RecordValue<Value>)
    case unreadable(UnreadableRecord)

    var phase: RecordPhase {
        switch self {
        case .value(let record): record.phase
        case .unreadable(let record): record.phase
        }
    }

    var value: RecordValue<Value>? {
        if case .value(let record) = self { record } else { nil }
    }

    var unreadable: UnreadableRecord? {
        if case .unreadable(let record) = self { record } else { nil }
    }

    /// The record.
    ///
    /// - Throws: The reason why it can't be read.
    func get() throws(TidemarkError) -> RecordValue<Value> {
        switch self {
        case .value(let record): return record
        case .unreadable(let record): throw record.error
        }
    }
}

extension ReadRecord where Value: Decodable {
    /// Reads a record; nil if it was deleted here.
    ///
    /// - Parameter parsed: Its content, if it was parsed already.
    init?(_ record: RecordSnapshot, _ parsed: JSON? = nil, dates: JSONDates) {
        let (pk, phase) = (record.pk, record.phase)
        guard phase.state != .deleted else { return nil }
        do throws(TidemarkError) {
            let content = if let parsed { parsed } else { try record.content }
            let value: Value = try record.value(content, dates: dates)
            self = .value(RecordValue(pk: pk, phase: phase, value: value))
        } catch {
            self = .unreadable(UnreadableRecord(pk: pk, phase: phase, error: error))
        }
    }

    /// Reads a record of a query.
    init?(_ match: QueryMatch, dates: JSONDates) {
        self.init(match.record, match.content, dates: dates)
    }
}

extension RecordSnapshot {
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
    /// Reads records. It runs off the caller's actor, so that a view does not wait for it.
    @concurrent
    func read<Value: Decodable & Sendable>(
        as type: Value.Type, dates: JSONDates
    ) async -> [ReadRecord<Value>] {
        self.compactMap { ReadRecord($0, dates: dates) }
    }
}

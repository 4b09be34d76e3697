public import Observation
public import TidemarkJSON
public import TidemarkRules

/// A form over one record: the fields that the user did not change follow the record, and the others wait for ``save(preferring:)``.
///
/// ```swift
/// let form = await DraftModel(try await notes["42"].draft())        // kept by the view, as @State
/// await MainActor.run { form.value.title = "Oat milk" }             // TextField("Title", text: $form.value.title)
/// await form.save()
/// ```
///
/// While a task is in ``follow()``, a change of another device or another screen appears in the form, unless the user has changed
/// the same member of the record: then the user's value stays, and ``remoteChanges`` names the member. Saving decides about it as
/// ``RecordDraft/save(preferring:)`` does, and asks only if a rule does: see ``conflict``.
///
/// A member is a whole here, as a list with its lines: the parts that others change in a list that the user changes, too, are merged
/// by the save, and not while the user works on it.
///
/// The model lives on the main actor, as ``RecordListModel`` does, and starts no task. It is not stored: unsaved changes are lost when the process
/// ends.
@MainActor
@Observable
public final class DraftModel<Value: Codable & Sendable> {
    private var draft: RecordDraft<Value>

    /// The members of the record that the user and others have both changed since the last save: the user's values are shown.
    public private(set) var remoteChanges: [JSONPointer] = []

    /// The fields to decide before the draft can be saved; nil if there are none. A view shows them, and calls
    /// ``save(preferring:)`` with ``DraftConflict/preferring(_:)`` or an answer for each.
    public private(set) var conflict: DraftConflict?

    /// Whether the record was deleted, here or elsewhere. The form keeps its value; the app can create the record again.
    public private(set) var isDeleted = false

    /// The error of the last save, or else of ``follow()``, to show to the user; nil if there was none.
    public var failure: TidemarkError? { self.saveFailure ?? self.followFailure }

    private var saveFailure: TidemarkError?
    private var followFailure: TidemarkError?

    /// Whether a save runs.
    public private(set) var isSaving = false

    /// The calls of ``save(preferring:)`` that wait for the one that runs.
    @ObservationIgnored private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Grows with each begin and end of a save: a record that was read before is not the present one.
    @ObservationIgnored private var saves = 0

    /// The present record, if the draft can't follow it yet, for example while a number is typed.
    @ObservationIgnored private var unfollowed: JSON?

    /// Makes a model of a draft.
    public init(_ draft: RecordDraft<Value>) {
        self.draft = draft
    }

    /// The record.
    public var record: SyncRecord<Value> { self.draft.record }

    /// The record as the user works on it.
    public var value: Value {
        get { self.draft.value }
        set {
            self.draft.value = newValue
            if let unfollowed { self.follow(unfollowed) }
        }
    }

    /// Whether the value differs from the content that was saved last, or else from the record. Each read encodes the value.
    public var hasChanges: Bool { self.draft.hasChanges }
}

// MARK: - Saving

extension DraftModel {
    /// Saves the changes of the form, as ``RecordDraft/save(preferring:)`` does. An error is in ``failure``, and the fields to decide
    /// are in ``conflict``. Durable when it returns; sent with the next sync. A call during another one waits for it, and then saves
    /// the changes since.
    ///
    /// - Parameter answers: The side to prefer, for each field of ``conflict``.
    /// - Returns: The change, for ``UndoHistory/record(_:_:)``; nil if nothing was to be saved, or after an error.
    @discardableResult
    public func save(preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:]) async -> RecordEdit? {
        if self.isSaving { await withCheckedContinuation { self.waiting.append($0) } }
        self.isSaving = true
        self.saves += 1
        var edit: RecordEdit?
        do throws(TidemarkError) {
            let saved = try await self.draft.save(preferring: answers)
            if !saved.patch.operations.isEmpty { edit = saved }
            (self.conflict, self.saveFailure) = (nil, nil)
        } catch {
            (self.conflict, self.saveFailure) = (error.draftConflict, error)
        }
        self.saves += 1
        guard self.waiting.isEmpty else {
            // The next call saves, without a moment in between.
            self.waiting.removeFirst().resume()
            return edit
        }
        self.isSaving = false
        await self.refresh()
        return edit
    }
}

// MARK: - Following

extension DraftModel {
    /// Follows the record: its changes appear in the members that the user did not change.
    ///
    /// It returns when the task is cancelled or the client is closed, and if the store fails: then ``failure`` is set.
    public func follow() async {
        self.followFailure = nil
        let (record, collection) = (self.record, self.record.collection)
        var reader = ChangeReader(
            .record(CodePointString(record.pk), in: CodePointString(collection.name)), in: collection)
        repeat {
            await self.refresh()
            guard await reader.wait(isolation: #isolation) else { break }
        } while !Task.isCancelled
        reader.end()
    }

    /// Takes over the present record.
    private func refresh() async {
        while !self.isSaving {
            let saves = self.saves
            let record: JSON?
            do throws(TidemarkError) {
                let source = self.record
                record = try await source.collection.client.whileAwake { () async throws(TidemarkError) in
                    try await source.snapshot()
                }?.content
            } catch {
                // A damaged record can't be shown; the next save says so as well.
                if error.code != .clientClosed { self.followFailure = error }
                return
            }
            guard saves == self.saves else { continue }
            self.follow(record)
            return
        }
    }

    private func follow(_ record: JSON?) {
        let wasDeleted = self.isDeleted
        self.isDeleted = record == nil
        self.unfollowed = record
        guard !self.isSaving, let record, let next = self.draft.following(record, isNew: wasDeleted) else { return }
        (self.draft, self.remoteChanges, self.unfollowed) = (next.draft, next.clashes, nil)
    }
}

extension RecordDraft {
    /// Returns the draft over another form of the record: each member that the user did not change since the last save has its present
    /// value, and each other one the user's. The base of a member that the user changed stays as it was, so that a save still finds the
    /// clash.
    ///
    /// - Parameter isNew: Whether the record was deleted and created again: then it is the base as a whole.
    /// - Returns: The draft, and the members that both changed; nil if the value can't be written now, or if the type can't read the
    ///   record.
    fileprivate func following(_ record: JSON, isNew: Bool) -> (draft: RecordDraft, clashes: [JSONPointer])? {
        guard let mine = try? self.change().record else { return nil }
        let former = self.saved.content
        var (base, shown, clashes) = (record, record, [JSONPointer]())
        let names = Set(((mine.object?.keys ?? []) + (former.object?.keys ?? [])).map { CodePointString($0) })
        for name in names.map(\.value) where mine[name] != former[name] {
            shown[name] = mine[name]
            if !isNew { base[name] = former[name] }
            if record[name] != former[name], record[name] != mine[name] { clashes.append(JSONPointer(tokens: [name])) }
        }
        guard base != former || shown != mine else { return (self, clashes) }
        guard var draft = try? RecordDraft(of: base, self.record, self.fields) else { return nil }
        if shown == mine {
            draft.value = self.value
        } else if let value = try? shown.content(as: Value.self, dates: self.record.collection.dates) {
            draft.value = value
        } else {
            return nil
        }
        return (draft, clashes.sorted { $0.text < $1.text })
    }
}

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
/// the same field: then the user's text stays, and ``remoteChanges`` names the field. Saving decides about it as
/// ``RecordDraft/save(preferring:)`` does, and asks only if a rule does: see ``conflict``.
///
/// The model lives on the main actor, as ``RecordListModel`` does, and starts no task. It is not stored: unsaved changes are lost when the process
/// ends.
@MainActor
@Observable
public final class DraftModel<Value: Codable & Sendable> {
    private var draft: RecordDraft<Value>

    /// The fields that the user and others have both changed since the last save: the user's values are shown. A path within an
    /// array that is merged by key has the key of the element.
    public private(set) var remoteChanges: [JSONPointer] = []

    /// The fields to decide before the draft can be saved; nil if there are none. A view shows them, and calls
    /// ``save(preferring:)`` with ``DraftConflict/preferring(_:)`` or an answer for each.
    public private(set) var conflict: DraftConflict?

    /// Whether the record was deleted, here or elsewhere. The form keeps its value, and can be created again.
    public private(set) var isDeleted = false

    /// The error of the last ``save(preferring:)`` or of ``follow()``, to show to the user; nil if there was none.
    public private(set) var failure: TidemarkError?

    /// Whether a save runs.
    public private(set) var isSaving = false

    /// Grows with each begin and end of a save: a record that was read before is not the present one.
    @ObservationIgnored private var saves = 0

    /// Makes a model of a draft.
    public init(_ draft: RecordDraft<Value>) {
        self.draft = draft
    }

    /// The record.
    public var record: SyncRecord<Value> { self.draft.record }

    /// The record as the user works on it.
    public var value: Value {
        get { self.draft.value }
        set { self.draft.value = newValue }
    }

    /// Whether the value differs from the content that was saved last, or else from the record. Each read encodes the value.
    public var hasChanges: Bool { self.draft.hasChanges }

    /// Saves the changes of the form, as ``RecordDraft/save(preferring:)`` does. An error is in ``failure``, and the fields to decide
    /// are in ``conflict``. Durable when it returns; sent with the next sync. A call during another one does nothing.
    ///
    /// - Parameter answers: The side to prefer, for each field of ``conflict``.
    /// - Returns: The change, for ``UndoHistory/record(_:_:)``; nil if nothing was saved.
    @discardableResult
    public func save(preferring answers: [DraftConflict.Field: DraftConflict.Side] = [:]) async -> RecordEdit? {
        guard !self.isSaving else { return nil }
        self.isSaving = true
        self.saves += 1
        var edit: RecordEdit?
        do throws(TidemarkError) {
            edit = try await self.draft.save(preferring: answers)
            (self.conflict, self.failure) = (nil, nil)
        } catch {
            (self.conflict, self.failure) = (error.draftConflict, error)
        }
        self.isSaving = false
        self.saves += 1
        await self.refresh()
        return edit
    }

    /// Follows the record: its changes appear in the fields that the user did not change.
    ///
    /// It returns when the task is cancelled or the client is closed, and if the store fails: then ``failure`` is set.
    public func follow() async {
        do throws(TidemarkError) {
            for try await _ in OneRecordValues(record: self.record.of(JSON.self)) { await self.refresh() }
        } catch {
            self.failure = error
        }
    }

    /// Takes over the present record.
    private func refresh() async {
        while !self.isSaving {
            let saves = self.saves
            let record: JSON?
            do throws(TidemarkError) {
                record = try await self.record.snapshot()?.content
            } catch {
                // The next save has the error.
                return
            }
            guard saves == self.saves else { continue }
            self.isDeleted = record == nil
            if let record, let followed = self.draft.following(record) {
                (self.draft, self.remoteChanges) = followed
            }
            return
        }
    }
}

extension RecordDraft {
    /// Returns the draft over another form of the record: each field that the user did not change has its present value, and each
    /// other one the user's. The base of a field that the user changed stays as it was, so that a save still finds the clash.
    ///
    /// - Returns: The draft, and the fields that both changed; nil if the value can't be written now, as a number that is being typed,
    ///   or if the type can't read the record.
    fileprivate func following(_ record: JSON) -> (draft: RecordDraft, clashes: [JSONPointer])? {
        guard let mine = try? self.change().record else { return nil }
        let (base, rules) = (self.saved.content, self.fields.onlyKeys)
        let merge = rules.merge(base: base, server: record, client: mine)
        guard let shown = rules.settling(merge, for: .client, like: mine) else { return nil }
        // Without the user's changes: as an undo of them.
        guard let next = rules.merge(base: mine, server: shown, client: base).merged else { return nil }
        guard var draft = try? RecordDraft(of: shown, self.record, self.fields) else { return nil }
        draft.saved.content = next
        if shown == mine { draft.value = self.value }
        return (draft, merge.clashes.map(\.path))
    }
}

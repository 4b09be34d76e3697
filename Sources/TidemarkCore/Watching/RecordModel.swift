public import Observation
public import TidemarkRules

/// One record for a view: it reads ``record``, and is drawn again when that changes.
///
/// ```swift
/// let note = await RecordModel(notes["42"])     // kept by the view, as @State
/// await note.follow()                           // .task { await note.follow() }
/// ```
///
/// The model lives on the main actor, as ``RecordListModel`` does, and starts no task.
@MainActor
@Observable
public final class RecordModel<Value: Decodable & Sendable> {
    /// The app's view of the record; nil if it was deleted or is unknown, before it was read, and while it is ``unreadable``.
    public private(set) var record: RecordValue<Value>?

    /// The record, if it can't be read as the type.
    public private(set) var unreadable: UnreadableRecord?

    /// Whether ``record`` was read: before that, nil does not mean that there is no record.
    public private(set) var isLoaded = false

    /// The error of the store that ended ``follow()``; nil if there was none. Another ``follow()`` tries again.
    public private(set) var failure: TidemarkError?

    @ObservationIgnored private let source: SyncRecord<Value>

    /// Makes a model, which is empty until ``follow()`` is called.
    ///
    /// - Parameter record: The record to show; it need not exist.
    public init(_ record: SyncRecord<Value>) {
        self.source = record
    }

    /// Reads the record and follows its changes; see ``SyncRecord/observe()``.
    ///
    /// It returns when the task is cancelled or the client is closed, and if the store fails: then ``failure`` is set.
    public func follow() async {
        self.failure = nil
        do throws(TidemarkError) {
            for try await read in OneRecordValues(record: self.source) {
                self.record = read?.value
                self.unreadable = read?.unreadable
                self.isLoaded = true
            }
        } catch {
            self.failure = error
        }
    }
}

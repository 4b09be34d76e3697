public import Observation
public import TidemarkJSON
public import TidemarkRules

/// One record for a view: it reads ``record``, and is drawn again when that changes.
///
/// ```swift
/// let note = await RecordModel(notes["42"], as: Note.self)   // kept by the view, as @State
/// await note.follow()                                        // .task { await note.follow() }
/// ```
///
/// The model lives on the main actor, as ``RecordListModel`` does, and starts no task.
@MainActor
@Observable
public final class RecordModel<Value: Decodable & Sendable> {
    /// The app's view of the record; nil if it was deleted or is unknown, and before it was read.
    public private(set) var record: RecordValue<Value>?

    /// Whether ``record`` was read: before that, nil does not mean that there is no record.
    public private(set) var isLoaded = false

    /// The error of the store that ended ``follow()``; nil if there was none. Another ``follow()`` tries again.
    public private(set) var failure: TidemarkError?

    @ObservationIgnored private let source: SyncRecord
    @ObservationIgnored private let dates: JSONDates

    /// Makes a model, which is empty until ``follow()`` is called.
    ///
    /// - Parameters:
    ///   - record: The record to show; it need not exist.
    ///   - type: The type that it is read as; `JSON.self` for the content itself.
    ///   - dates: How a `Date` is read.
    public init(_ record: SyncRecord, as type: Value.Type, dates: JSONDates = .rfc3339) {
        self.source = record
        self.dates = dates
    }

    /// Reads the record and follows its changes; see ``SyncRecord/observe(as:dates:)``.
    ///
    /// It returns when the task is cancelled or the client is closed, and if the store fails: then ``failure`` is set.
    public func follow() async {
        self.failure = nil
        do throws(TidemarkError) {
            for try await record in self.source.observe(as: Value.self, dates: self.dates) {
                self.record = record
                self.isLoaded = true
            }
        } catch {
            self.failure = error
        }
    }
}

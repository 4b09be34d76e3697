public import Observation
public import TidemarkJSON
public import TidemarkRules

/// One record as a view shows it: it reads ``record``, and is drawn again when that changes.
///
/// ```swift
/// let note = await RecordModel(notes["42"], as: Note.self)   // kept by the view, as @State
/// await note.follow()                                        // .task { await note.follow() }
/// ```
///
/// The model lives on the main actor, as ``RecordListModel`` does, and starts nothing by itself.
@MainActor
@Observable
public final class RecordModel<Value: Decodable & Sendable> {
    /// What the app sees; nil when it was deleted or is not known, and before it was read.
    public private(set) var record: RecordValue<Value>?

    /// Whether ``record`` was read: before that, nil does not mean that there is none.
    public private(set) var isLoaded = false

    /// Why the model follows no more: what the store threw. Nil while all is well; ``follow()`` tries again.
    public private(set) var failure: TidemarkError?

    @ObservationIgnored private let source: SyncRecord
    @ObservationIgnored private let dates: JSONDates

    /// Makes a model, which shows nothing until it is followed.
    ///
    /// - Parameters:
    ///   - record: What to show; it need not exist.
    ///   - type: What it is read as; `JSON.self` takes it as it is.
    ///   - dates: How a `Date` is read.
    public init(_ record: SyncRecord, as type: Value.Type, dates: JSONDates = .rfc3339) {
        self.source = record
        self.dates = dates
    }

    /// Reads what is there and follows what changes; see ``SyncRecord/values(as:dates:)``.
    ///
    /// It returns when the task is cancelled or the client is closed, and when the store fails, which ``failure`` tells.
    public func follow() async {
        self.failure = nil
        do throws(TidemarkError) {
            for try await record in self.source.values(as: Value.self, dates: self.dates) {
                self.record = record
                self.isLoaded = true
            }
        } catch {
            self.failure = error
        }
    }
}

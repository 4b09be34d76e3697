public import Observation
public import TidemarkJSON
public import TidemarkRules

/// The records of a collection as a view shows them: it reads ``records``, and is drawn again when they change.
///
/// ```swift
/// let list = await RecordListModel(notes, as: Note.self)   // kept by the view, as @State
/// await list.follow()                                      // .task { await list.follow() }
/// ```
///
/// The model lives on the main actor, where views read it; records are read and decoded elsewhere. It starts nothing by
/// itself: as long as a task is in ``follow()`` the model is true, and when that task is cancelled, as SwiftUI's `.task` is
/// with its view, nothing of it goes on.
@MainActor
@Observable
public final class RecordListModel<Value: Decodable & Sendable> {
    /// All that the app sees, in the order of the UTF-8 bytes of the pks, as of the newest look.
    public private(set) var records: [RecordValue<Value>] = []

    /// Whether ``records`` were read: before that, empty does not mean that there is nothing.
    public private(set) var isLoaded = false

    /// Why the model follows no more: what the store threw. Nil while all is well; ``follow()`` tries again.
    public private(set) var failure: TidemarkError?

    @ObservationIgnored private let collection: SyncCollection
    @ObservationIgnored private let dates: JSONDates

    /// Makes a model, which shows nothing until it is followed.
    ///
    /// - Parameters:
    ///   - collection: What to show.
    ///   - type: What a record is read as; `JSON.self` takes it as it is.
    ///   - dates: How a `Date` is read.
    public init(_ collection: SyncCollection, as type: Value.Type, dates: JSONDates = .rfc3339) {
        self.collection = collection
        self.dates = dates
    }

    /// Reads what is there and follows what changes; see ``SyncCollection/values(as:dates:)``.
    ///
    /// It returns when the task is cancelled or the client is closed, and when the store fails, which ``failure`` tells.
    public func follow() async {
        self.failure = nil
        do throws(TidemarkError) {
            for try await records in self.collection.values(as: Value.self, dates: self.dates) {
                self.records = records
                self.isLoaded = true
            }
        } catch {
            self.failure = error
        }
    }
}

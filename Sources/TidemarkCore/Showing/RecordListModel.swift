public import Observation
public import TidemarkJSON
public import TidemarkRules

/// The records of a collection for a view: it reads ``records``, and is drawn again when they change.
///
/// ```swift
/// let list = await RecordListModel(notes, as: Note.self)   // kept by the view, as @State
/// await list.follow()                                      // .task { await list.follow() }
/// ```
///
/// The model lives on the main actor, where views read it; records are read and decoded elsewhere. It starts no task: while a
/// task is in ``follow()`` the model is up to date, and when that task is cancelled, as SwiftUI's `.task` is with its view, all
/// of its work ends.
@MainActor
@Observable
public final class RecordListModel<Value: Decodable & Sendable> {
    /// All visible records, in the order of the UTF-8 bytes of the pks, as they were read last.
    public private(set) var records: [RecordValue<Value>] = []

    /// Whether ``records`` were read: before that, an empty list does not mean that there are no records.
    public private(set) var isLoaded = false

    /// The error of the store that ended ``follow()``; nil if there was none. Another ``follow()`` tries again.
    public private(set) var failure: TidemarkError?

    @ObservationIgnored private let collection: SyncCollection
    @ObservationIgnored private let dates: JSONDates

    /// Makes a model, which is empty until ``follow()`` is called.
    ///
    /// - Parameters:
    ///   - collection: The collection to show.
    ///   - type: The type that a record is read as; `JSON.self` for the content itself.
    ///   - dates: How a `Date` is read.
    public init(_ collection: SyncCollection, as type: Value.Type, dates: JSONDates = .rfc3339) {
        self.collection = collection
        self.dates = dates
    }

    /// Reads the records and follows their changes; see ``SyncCollection/observe(as:dates:)``.
    ///
    /// It returns when the task is cancelled or the client is closed, and if the store fails: then ``failure`` is set.
    public func follow() async {
        self.failure = nil
        do throws(TidemarkError) {
            for try await records in self.collection.observe(as: Value.self, dates: self.dates) {
                self.records = records
                self.isLoaded = true
            }
        } catch {
            self.failure = error
        }
    }
}

public import Observation
public import TidemarkRules

/// The records of a collection, or of a query, for a view: it reads ``records``, and is drawn again when they change.
///
/// ```swift
/// let list = await RecordListModel(todos, open)     // kept by the view, as @State
/// await list.follow()                               // .task { await list.follow() }
/// ```
///
/// A new ``query`` or a call of ``showMore()`` changes the list of a running ``follow()``. The model lives on the main actor,
/// where views read it; records are read and decoded elsewhere. It starts no task: while a task is in ``follow()`` the model is
/// up to date, and when that task is cancelled, as SwiftUI's `.task` is with its view, all of its work ends.
@MainActor
@Observable
public final class RecordListModel<Value: Decodable & Sendable> {
    /// The records as they were read last, in the order of the query; without a query all visible records, in the order of the
    /// UTF-8 bytes of the pks.
    public private(set) var records: [RecordValue<Value>] = []

    /// The records that can't be read as the type.
    public private(set) var unreadable: [UnreadableRecord] = []

    /// Whether the query has more records than ``records``; see ``showMore()``.
    public private(set) var hasMore = false

    /// Whether ``records`` were read: before that, an empty list does not mean that there are no records.
    public private(set) var isLoaded = false

    /// The error of the store, or of an invalid query, that ended ``follow()``; nil if there was none. Another ``follow()`` tries
    /// again.
    public private(set) var failure: TidemarkError?

    /// The query; nil for all visible records. A new one shows its first records, as many as a model shows at the beginning.
    public var query: RecordQuery? {
        didSet { self.wish.set(self.query, limit: self.size) }
    }

    @ObservationIgnored private let collection: SyncCollection<Value>
    @ObservationIgnored private let size: Int
    @ObservationIgnored private let wish: ListWish

    /// Makes a model of all records, or of the first records of a query, which is empty until ``follow()`` is called.
    ///
    /// - Parameters:
    ///   - collection: The collection to show.
    ///   - query: The condition and the order; nil for all visible records, which suits a small collection.
    ///   - limit: The number of records of a query at the beginning, and that ``showMore()`` adds.
    public init(_ collection: SyncCollection<Value>, _ query: RecordQuery? = nil, limit: Int = 100) {
        (self.collection, self.size) = (collection, limit)
        self.wish = ListWish(query, limit: limit)
        self.query = query
    }

    /// Shows more records of the query, if there are more: as many as at the beginning, and
    /// ``RecordQuery/Limits/window`` in all.
    public func showMore() {
        guard self.hasMore, let limit = self.wish.current.limit else { return }
        let most = self.collection.client.collections.limits.queries.window
        self.wish.set(self.query, limit: min(limit + self.size, most))
    }

    /// Reads the records and follows their changes; see ``SyncCollection/observe(_:limit:tellingActivity:)``, or
    /// ``SyncCollection/observe()`` without a query.
    ///
    /// It returns when the task is cancelled or the client is closed, and if the store fails: then ``failure`` is set.
    public func follow() async {
        self.failure = nil
        let lists = LiveRecords(collection: self.collection, wish: self.wish, isActivityTold: true)
        do throws(TidemarkError) {
            for try await list in lists {
                self.records = list.records
                if !(self.unreadable.isEmpty && list.unreadable.isEmpty) { self.unreadable = list.unreadable }
                self.hasMore = list.hasMore
                self.isLoaded = true
            }
        } catch {
            self.failure = error
        }
    }
}

public import Observation
import TidemarkJSON
public import TidemarkRules

/// The conflicts that wait for the user, of a collection or of all, for a view: it reads ``conflicts``, and is drawn again when they
/// change.
///
/// ```swift
/// let list = await ConflictListModel(client)     // kept by the view, as @State
/// await list.follow()                            // .task { await list.follow() }
/// ```
///
/// The model lives on the main actor, as ``RecordListModel`` does, and starts no task.
@MainActor
@Observable
public final class ConflictListModel {
    /// The conflicts, by collection and pk. A conflict whose values change is another one, with another ``OpenConflict/id``: answers
    /// that were not sent count for the old values.
    public private(set) var conflicts: [OpenConflict] = []

    /// Whether ``conflicts`` were read: before that, an empty list does not mean that there are none.
    public private(set) var isLoaded = false

    /// The error of the store that ended ``follow()``; nil if there was none. Another ``follow()`` tries again.
    public private(set) var failure: TidemarkError?

    @ObservationIgnored private let client: SyncClient

    /// Nil for all collections.
    @ObservationIgnored private let collection: String?

    /// Makes a model of the conflicts in all collections, which is empty until ``follow()`` is called.
    public init(_ client: SyncClient) {
        (self.client, self.collection) = (client, nil)
    }

    /// Makes a model of the conflicts in one collection, which is empty until ``follow()`` is called.
    public init<Value>(_ collection: SyncCollection<Value>) {
        (self.client, self.collection) = (collection.client, collection.name)
    }

    /// Reads the conflicts and follows their changes.
    ///
    /// It returns when the task is cancelled or the client is closed, and if the store fails: then ``failure`` is set.
    public func follow() async {
        self.failure = nil
        do throws(TidemarkError) {
            for try await conflicts in OpenConflicts(client: self.client, collection: self.collection) {
                self.conflicts = conflicts
                self.isLoaded = true
            }
        } catch {
            self.failure = error
        }
    }
}

/// The open conflicts now, and whenever they change.
private struct OpenConflicts: AsyncSequence {
    let client: SyncClient
    let collection: String?

    /// Watches from now on: the first value includes the changes before it.
    func makeAsyncIterator() -> Iterator {
        Iterator(source: self, reader: ChangeReader(.client, of: self.client))
    }

    struct Iterator: AsyncIteratorProtocol {
        let source: OpenConflicts
        var reader: ChangeReader

        /// Nil before the first read.
        private var last: [CodePointString: [StoredConflict]]?

        init(source: OpenConflicts, reader: ChangeReader) {
            (self.source, self.reader) = (source, reader)
        }

        mutating func next(isolation actor: isolated (any Actor)?) async throws(TidemarkError) -> [OpenConflict]? {
            guard let watch = self.reader.watch else { return nil }
            let client = self.source.client
            do throws(TidemarkError) {
                while !Task.isCancelled {
                    let shown = self.last?.conflicts
                    let (collection, last) = (self.source.collection, self.last)
                    let present = try await client.whileAwake { () async throws(TidemarkError) in
                        try await client.look(watch, in: collection, after: last)
                    }
                    self.last = present
                    if present.conflicts != shown {
                        return present.conflicts.map { OpenConflict(client: client, conflict: $0) }
                    }
                    guard await self.reader.wait(isolation: actor) else { break }
                }
                self.reader.end()
            } catch {
                try self.reader.end(by: error)
            }
            return nil
        }
    }
}

extension [CodePointString: [StoredConflict]] {
    /// All, by collection.
    fileprivate var conflicts: [RecordConflict] {
        self.sorted { $0.key < $1.key }.flatMap { $0.value.map(\.conflict) }
    }
}

extension SyncClient {
    /// Returns the open conflicts of each collection, read again for those that changed since the watcher's last read.
    ///
    /// - Parameter collection: Nil for all.
    fileprivate func look(
        _ watch: ChangeWatch, in collection: String?, after last: [CodePointString: [StoredConflict]]?
    ) async throws(TidemarkError) -> [CodePointString: [StoredConflict]] {
        let changed = last == nil ? .all : watch.take()
        // A collection that this client was not made for takes no answers.
        let names = if let collection { [collection] } else { self.collections.usable(try self.collectionNames) }
        var conflicts: [CodePointString: [StoredConflict]] = [:]
        for collection in names {
            let name = CodePointString(collection)
            let known = last?[name]
            if let known, case .some(let touched) = changed, !touched.contains(name) {
                conflicts[name] = known
            } else {
                conflicts[name] = try await self.openConflicts(in: collection, after: known ?? [])
            }
        }
        return conflicts
    }
}

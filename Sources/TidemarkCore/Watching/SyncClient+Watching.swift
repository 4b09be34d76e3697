import TidemarkJSON
import TidemarkRules

// The reads of watchers: each is one call on the client's actor, so that nothing changes between the watcher's names and the
// read.

/// The result of a read by a watcher of a collection.
enum Sight: Sendable {
    /// The records that changed since the last read, in their present form; nil for an absent one.
    case some([CodePointString: RecordSnapshot?])

    /// More records changed than are kept.
    case all
}

extension SyncClient {
    /// Returns the records that changed since the watcher's last read.
    func look(_ watch: ChangeWatch, in collection: String) throws(TidemarkError) -> Sight {
        let engine = try self.engine(using: collection)
        guard case .some(let names) = watch.take() else { return .all }
        var records: [CodePointString: RecordSnapshot?] = [:]
        for name in names {
            records.updateValue(try engine.snapshot(of: name.value, in: collection), forKey: name)
        }
        return .some(records)
    }

    /// The number of watchers of this client.
    package var watcherCount: Int { self.hub.count }
}

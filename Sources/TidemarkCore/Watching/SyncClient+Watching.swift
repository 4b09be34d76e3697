import TidemarkJSON
import TidemarkRules

// What watchers look at: each is one turn of the client, so that nothing changes between what is taken and what is read.

/// What a watcher of a collection finds when it looks.
enum Sight: Sendable {
    /// The records that changed since it looked last, as they are now; nil for one that is not there.
    case some([CodePointString: RecordSnapshot?])

    /// More changed than were kept.
    case all
}

extension SyncClient {
    /// The records that changed since a watcher looked last.
    func look(_ watch: ChangeWatch, in collection: String) throws(TidemarkError) -> Sight {
        let engine = try self.engine(using: collection)
        guard case .some(let names) = watch.take() else { return .all }
        var records: [CodePointString: RecordSnapshot?] = [:]
        for name in names {
            records.updateValue(try engine.snapshot(of: name.value, in: collection), forKey: name)
        }
        return .some(records)
    }

    /// How many watch something of this client.
    package var watcherCount: Int { self.hub.count }
}

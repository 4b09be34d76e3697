import Synchronization
import TidemarkCore
import TidemarkHTTPClient
import TidemarkJSON

/// The server of `OfflineSyncServer`, in memory, with the rules of 2013.
///
/// It reads the row of each entity, compares `last_modified`, and then writes: other requests may come between. It returns
/// its rows in no order, and tells nothing of an entity that it can't save, or of a removed member.
final class FakeOfflineSync: Sendable {
    private struct State {
        /// In milliseconds; `last_modified` is in seconds.
        var now = 1_357_804_710_251
        var tick = 1
        var rows: [CodePointString: JSONObject] = [:]
        var between: (@Sendable () async -> Void)?
        var savesBeforeError: Int?
        var posts: [JSON] = []
    }

    private let state = Mutex(State())

    /// The bodies of the requests so far.
    var posts: [JSON] { self.state.withLock { $0.posts } }

    /// How far the clock moves with each entity, in milliseconds.
    func setTick(_ tick: Int) { self.state.withLock { $0.tick = tick } }

    /// Runs once, between the next comparison and its write.
    func onNextWrite(_ between: @escaping @Sendable () async -> Void) {
        self.state.withLock { $0.between = between }
    }

    /// Fails within the next request, after some entities are saved.
    func failOnce(after count: Int) { self.state.withLock { $0.savesBeforeError = count } }

    /// Copies all rows, as a backup does, and returns a function that restores them.
    func backUp() -> @Sendable () -> Void {
        let rows = self.state.withLock { $0.rows }
        return { self.state.withLock { $0.rows = rows } }
    }

    /// The records of a class that are not deleted, by guid.
    func rows(in collection: String) -> [String: JSON] {
        let rows = self.state.withLock { $0.rows }.filter {
            $0.value["classname"]?.string == collection && $0.value["is_deleted"]?.bool != true
        }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.key.value, $0.value.json) })
    }

    /// Serves one request.
    @Sendable func answer(_ request: HTTPRequest) async -> HTTPAnswer {
        guard request.method == "POST", request.target == "/sync" else { return HTTPAnswer(status: 404) }
        guard let body = request.body.flatMap({ try? JSON(parsing: $0) }), let since = body["last_sync_time"]?.number,
            let entities = body["modified_entities"]?.array
        else { return HTTPAnswer(status: 400) }
        let limit = self.state.withLock { state in
            state.posts.append(body)
            state.now += state.tick
            defer { state.savesBeforeError = nil }
            return state.savesBeforeError
        }
        var conflicted: [JSON] = []
        for (place, entity) in entities.enumerated() {
            guard place < limit ?? .max else { return HTTPAnswer(status: 500) }
            if let row = await self.save(entity.object ?? JSONObject()) { conflicted.append(row.json) }
        }
        let modified = self.state.withLock { $0.rows.values }.filter { since < $0["last_modified"]?.number ?? since }
        return answer200([
            "modified_entities": .array(modified.map(\.json)), "conflicted_entities": .array(conflicted),
        ])
    }

    /// Saves an entity.
    ///
    /// - Returns: The server's row if it has another `last_modified`; nil if the entity was saved, or is invalid.
    private func save(_ entity: JSONObject) async -> JSONObject? {
        // The validations: a guid, and no title that is longer than 255 characters.
        guard let guid = entity["guid"]?.string, !guid.isEmpty, entity["title"]?.string?.count ?? 0 <= 255 else {
            return nil
        }
        let pk = CodePointString(guid)
        let (row, time, between) = self.state.withLock { state in
            defer { state.between = nil }
            state.now += state.tick
            return (state.rows[pk], state.now, state.between)
        }
        if let row, row["last_modified"]?.number != entity["last_modified"]?.number { return row }
        await between?()
        self.state.withLock { state in
            var row = row ?? JSONObject()
            for (name, value) in entity { row[name] = value }
            let (seconds, milliseconds) = (time / 1_000, String(1_000 + time % 1_000).dropFirst())
            row["last_modified"] = JSONNumber("\(seconds).\(milliseconds)").map(JSON.number)
            state.rows[pk] = row
        }
        return nil
    }
}

import TidemarkServer

/// The real storage, with a disk that is full from the nth row on, a collection that another process locks, and a damaged row.
final class FaultyStorage: ForwardingStorage {
    private var room: Int
    private let held: String?
    private let damaged: String?

    init(rowsUntilFull: Int = .max, holding held: String? = nil, damaging damaged: String? = nil) throws {
        self.damaged = damaged
        self.room = rowsUntilFull
        self.held = held
        try super.init(StorageOfTest.open())
    }

    override func expect(_ posts: [ExpectedPost], waits: Bool) throws(ServerStorageError) {
        guard !posts.contains(where: { $0.collection == self.held }) else {
            throw ServerStorageError(.busy, waits ? "the lock timeout is over" : "another process locks it")
        }
        guard !posts.contains(where: { $0.edits(limit: 10).contains { $0.pk == self.damaged } }) else {
            throw ServerStorageError(.corrupt, "the row of “\(self.damaged ?? "")” is damaged")
        }
        try self.storage.expect(posts, waits: waits)
    }

    override func save(_ row: ServerRow, in feed: ServerFeed) throws(ServerStorageError) {
        guard self.room > 0 else { throw ServerStorageError(.full, "/srv/server.db: the disk is full") }
        self.room -= 1
        try self.storage.save(row, in: feed)
    }
}

public import TidemarkCore
import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

/// A store without a disk, for tests: it can be told to fail at a write, and to forget what a crash would lose.
///
/// It keeps the `RecordStore` contract to the letter, and is a referee besides: a write outside of a transaction and a
/// transaction inside another one trap, since a store on a disk may give no notice of either.
///
/// ```swift
/// let store = MemoryStore()
/// store.failNextWrite(after: 2, with: TidemarkError(.storeFull, "The disk is full."))
/// let client = try SyncClient(store: store, remote: InProcessRemote(server))   // its third write throws
/// ```
///
/// A client owns its store, so a test can't take a snapshot of that: to start a second client from what the first one committed,
/// open the stores of both from a ``MemoryDisk``. A test that owns the store, as one of an engine does, uses a snapshot, which is what
/// a crash would leave:
///
/// ```swift
/// let store = MemoryStore()
/// let afterCrash = MemoryStore(snapshot: store.snapshot)
/// ```
public final class MemoryStore: RecordStore {
    /// What a crash would leave: all that was committed, and nothing else.
    public struct Snapshot: Hashable, Sendable {
        let contents: MemoryContents
    }

    /// How many writes were begun so far. Each call that changes something counts as one, and so does the end of a
    /// transaction, since that is when a disk has to keep its word.
    public private(set) var writes = 0

    var contents: MemoryContents
    private let disk: MemoryDisk?
    private var undo: [MemoryContents.Change] = []
    private var isInTransaction = false
    private var plannedFailure: (write: Int, error: TidemarkError)?
    private var failure: TidemarkError?

    /// Makes an empty store.
    public init() {
        self.contents = MemoryContents()
        self.disk = nil
    }

    /// Makes a store that has what another one had committed.
    public convenience init(snapshot: Snapshot) {
        self.init(snapshot: snapshot, disk: nil)
    }

    init(snapshot: Snapshot, disk: MemoryDisk?) {
        self.contents = snapshot.contents
        self.disk = disk
    }

    /// Leaves what was committed to the next store, where this one was opened from a ``MemoryDisk``.
    public func close() {
        self.disk?.leave(self.snapshot)
    }

    /// What a crash at this moment would leave; what an open transaction did is not in it.
    public var snapshot: Snapshot {
        var committed = self.contents
        for change in self.undo.reversed() {
            _ = committed.apply(change)
        }
        return Snapshot(contents: committed)
    }

    /// Lets one coming write throw; its transaction is void then, whatever its body does with the error.
    ///
    /// - Parameters:
    ///   - count: How many ``writes`` succeed before it.
    ///   - error: What it throws, `storeFull` for example.
    public func failNextWrite(after count: Int = 0, with error: TidemarkError) {
        self.plannedFailure = (self.writes + count, error)
    }

    /// Runs the body as one transaction.
    public func transaction<Value>(_ body: () throws(TidemarkError) -> Value) throws(TidemarkError) -> Value {
        precondition(!self.isInTransaction, "A transaction was begun inside another one.")
        self.isInTransaction = true
        self.failure = nil
        defer {
            self.isInTransaction = false
            self.undo.removeAll(keepingCapacity: true)
        }
        do throws(TidemarkError) {
            let value = try body()
            try self.countWrite()
            return value
        } catch {
            for change in self.undo.reversed() {
                _ = self.contents.apply(change)
            }
            throw error
        }
    }

    /// Makes a change that a rollback takes back.
    func write(_ change: MemoryContents.Change) {
        self.undo.append(self.contents.apply(change))
    }

    /// Has to be called once by whatever writes, before it does.
    func countWrite() throws(TidemarkError) {
        precondition(self.isInTransaction, "A store is written to outside of a transaction.")
        if let failure = self.failure {
            throw failure
        }
        defer { self.writes += 1 }
        if let planned = self.plannedFailure, planned.write == self.writes {
            self.plannedFailure = nil
            self.failure = planned.error
            throw planned.error
        }
    }

    func collection(_ name: String) -> MemoryCollection {
        self.contents.collections[CodePointString(name)] ?? MemoryCollection()
    }
}

public import TidemarkCore
import TidemarkJSON
import TidemarkMachine
public import TidemarkRules

/// A store without a disk, for tests: it can fail at a chosen write, and lose what a crash would lose.
///
/// It implements the `RecordStore` contract strictly: a write outside of a transaction, and a transaction inside another one,
/// trap, since a store on a disk may not detect either.
///
/// ```swift
/// let store = MemoryStore()
/// store.failNextWrite(after: 2, with: TidemarkError(.storeFull, "The disk is full."))
/// let client = try SyncClient(store: store, remote: InProcessRemote(server))   // its third write throws
/// ```
///
/// A client owns its store, so a test can't take a snapshot of it. To start a second client with the committed data of the
/// first one, open the stores of both from a ``MemoryDisk``. A test that owns the store, such as a test of an engine, uses a
/// snapshot, which is the state after a crash:
///
/// ```swift
/// let store = MemoryStore()
/// let afterCrash = MemoryStore(snapshot: store.snapshot)
/// ```
public final class MemoryStore: RecordStore {
    /// The state after a crash: exactly the committed data.
    public struct Snapshot: Hashable, Sendable {
        let contents: MemoryContents
    }

    /// The number of writes that were begun. Each call that changes data counts as one, and so does the end of a transaction,
    /// since a disk can fail there.
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

    /// Makes a store with the committed data of another one.
    public convenience init(snapshot: Snapshot) {
        self.init(snapshot: snapshot, disk: nil)
    }

    init(snapshot: Snapshot, disk: MemoryDisk?) {
        self.contents = snapshot.contents
        self.disk = disk
    }

    /// Leaves the committed data to the next store, if this one was opened from a ``MemoryDisk``.
    public func close() {
        self.disk?.leave(self.snapshot)
    }

    /// The state after a crash at this moment, without the changes of an open transaction.
    public var snapshot: Snapshot {
        var committed = self.contents
        for change in self.undo.reversed() {
            _ = committed.apply(change)
        }
        return Snapshot(contents: committed)
    }

    /// Makes a later write throw; its transaction is then undone, whatever its body does with the error.
    ///
    /// - Parameters:
    ///   - count: The number of ``writes`` that succeed before it.
    ///   - error: The error, `storeFull` for example.
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

    /// Makes a change that a rollback undoes.
    func write(_ change: MemoryContents.Change) {
        self.undo.append(self.contents.apply(change))
    }

    /// Must be called once by each write, before it changes data.
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

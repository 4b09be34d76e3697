import TidemarkJSON
public import TidemarkMachine

/// The synchronous core of a client (SPEC §8).
///
/// Inputs go in: what the app wants, what a server answered, what failed, what time it is. Each input is one store
/// transaction, and a list of ``Effect``s comes out: send this, wake me then, tell the app. Nothing here waits, and chance
/// comes from a seed, so the same inputs give the same bytes. `SyncClient` is the actor that owns an engine; a test can
/// own one as well, with the network in its hand.
///
/// The engine decides nothing about sync by itself: it names what happened and asks the two tables of
/// `TidemarkMachine`.
public final class SyncEngine {
    let store: any Store
    let configuration: SyncConfiguration

    /// What is not in the store. It is put back when a transaction fails.
    struct Memory {
        var exchanges: [CodePointString: Exchange] = [:]
        var generator: SeededGenerator
        var sequence: Int64
        var tokens = 0
        var writes: [RecordName: [PendingWrite]] = [:]
        var lastWrite = 0
    }

    var memory: Memory

    /// Sees every transition of every record: for traces and tests.
    public var trace: ((RecordTrace) -> Void)?

    /// Makes an engine over a store.
    ///
    /// - Parameters:
    ///   - store: Where the records are. It belongs to this engine alone.
    ///   - configuration: What decides conflicts, and all limits.
    ///   - seed: Where request ids, pks and jitter come from. A client takes a new one at each start.
    public init(store: any Store, configuration: SyncConfiguration, seed: UInt64) throws(TidemarkError) {
        self.store = store
        self.configuration = configuration
        let sequence = try store.setting(Self.sequenceKey).flatMap { Int64($0) } ?? 0
        self.memory = Memory(generator: SeededGenerator(seed: seed), sequence: sequence)
    }

    static let sequenceKey = "sequence"
    static let accountKey = "account"
    static let epochKey = "epoch"
}

/// One transition of one record, as it happened.
public struct RecordTrace: Hashable, Sendable {
    /// The collection.
    public let collection: String

    /// The record.
    public let pk: String

    /// What happened.
    public let event: RecordEvent

    /// The phase before.
    public let source: Phase

    /// The phase after.
    public let target: Phase
}

// MARK: - Transactions

extension SyncEngine {
    /// Runs one input as one transaction. When it fails, nothing of it stays, here or in the store.
    func commit(
        _ body: (inout [Effect]) throws(TidemarkError) -> Void
    ) throws(TidemarkError) -> [Effect] {
        let before = self.memory
        var effects: [Effect] = []
        do {
            try self.store.transaction { () throws(TidemarkError) in
                try body(&effects)
                guard self.memory.sequence != before.sequence else { return }
                try self.store.set(Self.sequenceKey, to: String(self.memory.sequence))
            }
            return effects
        } catch {
            self.memory = before
            throw error
        }
    }

    func algebra(of collection: String) -> JSONChanges {
        JSONChanges(fields: self.configuration[collection].fields)
    }

    /// The record, ready to receive inputs; one that is not there is absent.
    ///
    /// An upload that no exchange of this process carries was in the hands of one that ended: its fate is unknown (R17).
    func load(_ pk: String, in collection: String) throws(TidemarkError) -> Record {
        guard let stored = try self.store.record(pk, in: collection) else { return Record(pk: pk) }
        return try self.revive(stored, in: collection)
    }

    func revive(_ stored: StoredRecord, in collection: String) throws(TidemarkError) -> Record {
        try self.naming(stored.pk, in: collection) { () throws(TidemarkError) in
            var record = try Record(stored)
            guard stored.phase.activity == .uploading, let upload = stored.upload else { return record }
            guard self.exchange(of: collection).posted[upload.requestID] == nil else { return record }
            _ = try record.machine.receive(.lost, self.algebra(of: collection))
            return record
        }
    }
}

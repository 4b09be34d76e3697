import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Which idle changes wait for other records (R26, R27). Nothing of it is stored: each answer is computed of what the rows say now.
struct ReferenceRule {
    let transaction: EngineTransaction
    let store: any ReferenceStore

    /// The answers of one use: whether a child waits for a held record.
    private final class Answers {
        var stuck: [RecordName: Bool] = [:]
    }

    private let answers = Answers()

    /// Nil if no record of the collection names another one, or is named.
    init?(_ transaction: EngineTransaction) {
        guard let store = transaction.references, transaction.graph.involves(CodePointString(transaction.collection))
        else { return nil }
        (self.transaction, self.store) = (transaction, store)
    }

    /// The first record for which an idle change waits; nil if it is sent.
    func firstWait(of name: RecordName) throws(TidemarkError) -> RecordWait? {
        // Of thousands of children hardly one is stuck.
        for limit in [Self.fewWaits, self.limits.referenceDepth] {
            let waits = try self.store.waits(of: name.pk.value, in: name.collection.value, limit: limit)
            for wait in waits {
                if wait.kind == .parent { return wait }
                if try !self.isStuck(wait.name) { return wait }
            }
            guard waits.count >= limit else { return nil }
        }
        return nil
    }

    private static let fewWaits = 16

    /// The records for which an idle change waits.
    private func waits(of name: RecordName) throws(TidemarkError) -> [RecordName] {
        var waits: [RecordName] = []
        for wait in try self.store.waits(
            of: name.pk.value, in: name.collection.value, limit: self.limits.referenceDepth)
        {
            if wait.kind == .child, try self.isStuck(wait.name) { continue }
            waits.append(wait.name)
        }
        return waits
    }

    /// Whether a record waits for a held one: then no delete waits for it (R27).
    private func isStuck(_ name: RecordName) throws(TidemarkError) -> Bool {
        if let known = self.answers.stuck[name] { return known }
        var (open, visited, isStuck) = ([name], Set([name]), false)
        while !isStuck, let next = open.popLast(), visited.count <= self.limits.referenceDepth {
            guard let record = try self.record(next) else { continue }
            isStuck = record.phase.activity == .held
            for wait in try self.store.waits(
                of: next.pk.value, in: next.collection.value, limit: self.limits.referenceDepth)
            where wait.kind == .parent && visited.insert(wait.name).inserted {
                open.append(wait.name)
            }
        }
        self.answers.stuck[name] = isStuck
        return isStuck
    }

    /// Whether a refusal was to be expected, since the change still waits: it was sent as a probe, or its parent was deleted here
    /// meanwhile. A record of a ring is sent although it waits, and the server decides about it.
    func isForeseen(_ pk: String) throws(TidemarkError) -> Bool {
        if self.transaction.exchange.sync?.walk.ring.contains(CodePointString(pk)) == true { return false }
        return try self.firstWait(of: RecordName(collection: self.transaction.collection, pk: pk)) != nil
    }

    func record(_ name: RecordName) throws(TidemarkError) -> StoredRecord? {
        try self.store.record(name.pk.value, in: name.collection.value)
    }

    private var limits: SyncLimits { self.transaction.limits }
}

// MARK: - Showing waits

extension ReferenceRule {
    /// The first changes that wait, each with the first record that it waits for.
    func waiting() throws(TidemarkError) -> [CollectionReport.Waiting] {
        let collection = self.transaction.collection
        let pks = try self.store.waitingRecords(
            in: collection, areAwaited: false, limit: CollectionReport.waitingLimit)
        var waiting: [CollectionReport.Waiting] = []
        for pk in pks {
            guard let wait = try self.firstWait(of: RecordName(collection: collection, pk: pk)) else { continue }
            waiting.append(.init(pk: pk, collection: wait.name.collection.value, awaited: wait.name.pk.value))
        }
        return waiting
    }

    /// The first record that an idle change waits for and that needs the user; nil if there is none.
    func blockedWait(of name: RecordName) throws(TidemarkError) -> RecordName? {
        guard try self.record(name)?.phase.activity == .idle else { return nil }
        guard let wait = try self.firstWait(of: name) else { return nil }
        let isAsked = try self.record(wait.name)?.phase.activity == .deciding
        if isAsked { return wait.name }
        return try self.isStuck(wait.name) ? wait.name : nil
    }

    /// Why an idle change is not sent; nil if it waits for nothing.
    func reason(of pk: String) throws(TidemarkError) -> String? {
        let name = RecordName(collection: self.transaction.collection, pk: pk)
        guard let wait = try self.firstWait(of: name) else { return nil }
        let why = try self.record(wait.name).map { (record) throws(TidemarkError) in
            try self.state(of: record, wait.name)
        }
        let awaited = why.map { "\(wait.name), \($0)" } ?? "\(wait.name)"
        return wait.kind == .parent ? "It waits for \(awaited)" : "Its deletion waits for \(awaited)"
    }

    /// The state of a record for which another one waits.
    private func state(of record: StoredRecord, _ name: RecordName) throws(TidemarkError) -> String {
        switch record.phase.activity {
        case .held: "which is held: \(record.hold.map { RecordHold(stored: $0).reason } ?? "held")"
        case .deciding: "which is in conflict"
        case .uploading, .unconfirmed: "whose own change is being sent"
        case .idle:
            try self.firstWait(of: name).map { "which waits for \($0.name)" } ?? "whose own change is not sent yet"
        case nil: "which is in sync"
        }
    }
}

// MARK: - The queue

extension ReferenceRule {
    /// Returns the next idle records that wait for nothing, in the order of their change.
    ///
    /// A sync passes each waiting record once: it continues behind the last one, and takes those first whose wait has ended in it. What
    /// became ready in another way is found at its end, from the beginning.
    ///
    /// - Parameters:
    ///   - isAtEnd: Whether the sync ends if there is none.
    ///   - mayBeSent: Whether a record may be sent in this sync.
    func next(
        limit: Int, isAtEnd: Bool, _ mayBeSent: (StoredRecord) -> Bool
    ) throws(TidemarkError) -> [StoredRecord] {
        var walk = self.transaction.exchange.sync?.walk ?? ReferenceWalk()
        let began = walk.sequence
        var found = try self.released(in: walk, limit: limit, mayBeSent)
        found += try self.scan(&walk, limit: limit - found.count, skipping: found, mayBeSent)
        if found.isEmpty, isAtEnd {
            if began > 0 {
                walk.sequence = 0
                found = try self.scan(&walk, limit: limit, skipping: [], mayBeSent)
            }
            if found.isEmpty {
                found = try self.rings(limit: limit, mayBeSent)
                walk.ring.formUnion(found.map { CodePointString($0.pk) })
            }
        }
        self.transaction.exchange.sync?.walk = walk
        return Self.inOrder(found)
    }

    /// Returns the first idle record, whether it waits or not: for a probe (Contract §3.6).
    func probe(_ mayBeSent: (StoredRecord) -> Bool) throws(TidemarkError) -> StoredRecord? {
        let collection = self.transaction.collection
        for pk in try self.store.waitingRecords(in: collection, areAwaited: false, limit: self.probeLimit) {
            guard let record = try self.store.record(pk, in: collection), mayBeSent(record) else { continue }
            return record
        }
        return nil
    }

    /// A record that may not be sent now is passed by a probe, and there are few.
    private var probeLimit: Int { self.transaction.exchange.machine.postponed.tries.count + self.limits.batchSize }

    /// The records whose wait has ended in this sync.
    private func released(
        in walk: ReferenceWalk, limit: Int, _ mayBeSent: (StoredRecord) -> Bool
    ) throws(TidemarkError) -> [StoredRecord] {
        var found: [StoredRecord] = []
        for pk in walk.released.sorted() {
            guard let record = try self.store.record(pk.value, in: self.transaction.collection),
                record.phase.activity == .idle, mayBeSent(record)
            else { continue }
            if try self.isReady(record) { found.append(record) }
        }
        return Array(Self.inOrder(found).prefix(limit))
    }

    private static func inOrder(_ records: [StoredRecord]) -> [StoredRecord] {
        records.sorted { ($0.sequence, CodePointString($0.pk)) < ($1.sequence, CodePointString($1.pk)) }
    }

    private func isReady(_ record: StoredRecord) throws(TidemarkError) -> Bool {
        try self.firstWait(of: RecordName(collection: self.transaction.collection, pk: record.pk)) == nil
    }

    private func scan(
        _ walk: inout ReferenceWalk, limit: Int, skipping known: [StoredRecord],
        _ mayBeSent: (StoredRecord) -> Bool
    ) throws(TidemarkError) -> [StoredRecord] {
        let collection = self.transaction.collection
        let skipped = Set(known.map { CodePointString($0.pk) })
        var (found, place) = ([StoredRecord](), walk.sequence)
        while found.count < limit {
            // After deletes that are not ready, whole pages are read.
            let size = place == walk.sequence ? limit : max(limit, self.limits.batchSize)
            let page = try self.store.recordsToSend(in: collection, after: place, limit: size)
            for record in page where found.count < limit {
                place = record.sequence
                guard mayBeSent(record), !skipped.contains(CodePointString(record.pk)) else { continue }
                // A child whose parent waits may be stuck, and only a search shows that.
                if record.phase.state == .deleted, try !self.isReady(record) { continue }
                found.append(record)
            }
            guard page.count < size else { continue }
            // All that are idle now were passed.
            place = max(place, self.transaction.memory.sequence)
            break
        }
        if found.isEmpty { walk.sequence = place }
        return found
    }

    /// Notes which records of ``next(limit:isAtEnd:_:)`` are sent: those that did not fit are the next ones.
    func noteSent(_ sent: Set<CodePointString>, of records: [StoredRecord]) {
        guard var walk = self.transaction.exchange.sync?.walk else { return }
        for record in records where record.phase.activity == .idle && sent.contains(CodePointString(record.pk)) {
            guard walk.released.remove(CodePointString(record.pk)) == nil else { continue }
            walk.sequence = max(walk.sequence, record.sequence)
        }
        self.transaction.exchange.sync?.walk = walk
    }
}

/// How far a sync has passed the idle records of a collection with references.
struct ReferenceWalk: Hashable {
    /// The sequence up to which they were sent, or wait.
    var sequence: Int64 = 0

    /// Those whose wait has ended since.
    var released: Set<CodePointString> = []

    /// Those that were sent as records of a ring.
    var ring: Set<CodePointString> = []

    /// Beyond this number of released records the walk begins again.
    static let releasedLimit = 1_000

    mutating func release(_ pks: [String]) {
        self.released.formUnion(pks.lazy.map { CodePointString($0) })
        guard self.released.count > Self.releasedLimit else { return }
        (self.sequence, self.released) = (0, [])
    }
}

// MARK: - Rings

extension ReferenceRule {
    /// Returns the records that wait only for such that, over others, wait for them: these do not wait for each other.
    private func rings(
        limit: Int, _ mayBeSent: (StoredRecord) -> Bool
    ) throws(TidemarkError) -> [StoredRecord] {
        let collection = self.transaction.collection
        var search = RingSearch(limit: self.limits.referenceDepth)
        var found: [StoredRecord] = []
        // A record for which none waits is in no ring.
        let candidates = try self.store.waitingRecords(
            in: collection, areAwaited: true, limit: self.limits.referenceDepth)
        for pk in candidates where found.count < limit {
            let name = RecordName(collection: collection, pk: pk)
            let isRing = try search.isInRing(name) { (name) throws(TidemarkError) in
                guard let record = try self.record(name), record.phase.activity == .idle else { return nil }
                return try self.waits(of: name)
            }
            guard isRing, let record = try self.record(name), mayBeSent(record) else { continue }
            found.append(record)
        }
        return found
    }
}

/// Finds the rings that wait for nothing outside: strongly connected parts of a graph, by Tarjan's search without recursion.
struct RingSearch {
    /// The number of records that are looked at.
    private let limit: Int
    private var parts: [RecordName: Int] = [:]
    private var waits: [RecordName: [RecordName]] = [:]
    private var rings: [Bool] = []

    init(limit: Int) { self.limit = limit }

    /// Whether a record waits for others, all of them wait for it, and none of them for another one.
    ///
    /// - Parameter waits: For which records one waits; nil for one that is not idle, since it moves by itself or needs the user.
    mutating func isInRing(
        _ name: RecordName, _ waits: (RecordName) throws(TidemarkError) -> [RecordName]?
    ) throws(TidemarkError) -> Bool {
        if self.parts[name] == nil { try self.search(from: name, waits) }
        return self.parts[name].map { self.rings[$0] } ?? false
    }

    private mutating func search(
        from first: RecordName, _ find: (RecordName) throws(TidemarkError) -> [RecordName]?
    ) throws(TidemarkError) {
        var order: [RecordName: Int] = [:]
        var lowest: [RecordName: Int] = [:]
        var (open, path) = ([RecordName](), [(name: RecordName, next: Int)]())
        func enter(_ name: RecordName, _ search: inout RingSearch) throws(TidemarkError) {
            (order[name], lowest[name]) = (order.count, order.count)
            // Beyond the limit a record counts as one that waits for something outside.
            search.waits[name] = search.waits.count < search.limit ? try find(name) ?? [] : []
            open.append(name)
            path.append((name, 0))
        }
        try enter(first, &self)
        while let (name, next) = path.last {
            let waits = self.waits[name] ?? []
            if next < waits.count {
                path[path.count - 1].next += 1
                let other = waits[next]
                if order[other] == nil, self.parts[other] == nil {
                    try enter(other, &self)
                } else if self.parts[other] == nil, let place = order[other] {
                    lowest[name] = min(lowest[name] ?? place, place)
                }
                continue
            }
            path.removeLast()
            if let parent = path.last?.name, let mine = lowest[name] {
                lowest[parent] = min(lowest[parent] ?? mine, mine)
            }
            guard lowest[name] == order[name] else { continue }
            var members: [RecordName] = []
            repeat { members.append(open.removeLast()) } while members.last != name
            for member in members { self.parts[member] = self.rings.count }
            // Records outside have their part already.
            let isClosed = members.allSatisfy { member in
                (self.waits[member] ?? []).allSatisfy { self.parts[$0] == self.rings.count }
            }
            self.rings.append(members.count > 1 && isClosed)
        }
    }
}

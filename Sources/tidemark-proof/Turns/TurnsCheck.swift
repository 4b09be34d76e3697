import Foundation
import Tidemark
import TidemarkCore
import TidemarkDatabase

/// Compares the store and the server with all calls of the processes.
struct TurnsCheck {
    private let calls: [TurnsCall]
    private let byRecord: [String: [TurnsCall]]
    private let journal: Set<SharedValue>

    /// - Parameters:
    ///   - calls: The calls of all processes and of the other device.
    ///   - journal: The values of `/shared` in the journals.
    init(calls: [TurnsCall], journal: Set<SharedValue>) {
        self.calls = calls.filter { $0.end != .failed }
        self.byRecord = Dictionary(grouping: self.calls) { "\($0.collection) \($0.pk)" }
        self.journal = journal
    }

    private func calls(_ kinds: TurnsCall.Kind..., of pk: String, in collection: String) -> [TurnsCall] {
        (self.byRecord["\(collection) \(pk)"] ?? []).filter { kinds.contains($0.kind) }
            .sorted { $0.number < $1.number }
    }

    // MARK: The records

    /// Compares the records of the store with the calls, with other clients, and with its index and its projection.
    func compare(_ owner: SyncClient, with others: [SyncClient]) async throws {
        var contents: [String: [String: RecordSnapshot]] = [:]
        for collection in TurnsWorld.collections {
            let records = try await Self.records(of: collection, in: owner)
            contents[collection] = records
            for other in others {
                let theirs = try await Self.records(of: collection, in: other)
                guard records.count == theirs.count else {
                    throw TurnsFault("\(collection): the store has \(records.count) records, others \(theirs.count)")
                }
                for (pk, record) in records where theirs[pk]?.raw.content != record.raw.content {
                    throw TurnsFault("\(pk) of \(collection) is not as at the server")
                }
            }
            for pk in TurnsWorld.sharedPKs {
                guard let content = try records[pk]?.content else {
                    throw TurnsFault("\(pk) of \(collection) is missing")
                }
                try self.checkEdits(of: pk, in: collection, content)
            }
            let check = try await owner[collection].checkIndexes()
            guard check.faults.isEmpty, check.incomplete.isEmpty, !check.indexes.isEmpty else {
                throw TurnsFault("the index of \(collection): \(check)")
            }
        }
        try self.checkCreations(contents)
        try await self.checkProjection(owner, contents["notes"] ?? [:])
    }

    private static func records(of collection: String, in client: SyncClient) async throws -> [String: RecordSnapshot] {
        var records: [String: RecordSnapshot] = [:]
        var last: String?
        repeat {
            let page = try await client[collection].list(after: last)
            for record in page {
                guard records.updateValue(record, forKey: record.pk) == nil else {
                    throw TurnsFault("\(record.pk) is in \(collection) twice")
                }
            }
            last = page.last?.pk
        } while last != nil
        return records
    }

    private func checkCreations(_ contents: [String: [String: RecordSnapshot]]) throws {
        var known = Set<String>()
        for call in self.calls where call.kind == .create || call.kind == .createBoth {
            let collections = call.kind == .create ? [call.collection] : TurnsWorld.collections
            let present = collections.filter { contents[$0]?[call.pk] != nil }
            known.formUnion(collections.map { "\($0) \(call.pk)" })
            guard present.isEmpty || present.count == collections.count else {
                throw TurnsFault("of the transaction \(call.pk) only \(present) is there")
            }
            let deletions = self.calls(.delete, of: call.pk, in: call.collection)
            let isDeleted = deletions.contains { $0.end != .open }
            if present.isEmpty, call.end != .open, deletions.isEmpty {
                throw TurnsFault("\(call.pk) of \(collections) is lost")
            }
            if !present.isEmpty, isDeleted { throw TurnsFault("\(call.pk) of \(collections) is there again") }
            for collection in present {
                let content = try contents[collection]?[call.pk]?.content
                guard content == ["made": JSON(call.number), "by": JSON(call.worker)] else {
                    throw TurnsFault("\(call.pk) of \(collection) has another content: \(content ?? .null)")
                }
            }
        }
        for (collection, records) in contents {
            for pk in records.keys where !TurnsWorld.sharedPKs.contains(pk) {
                let place = "\(collection) \(pk)"
                guard !known.contains(place) else { continue }
                throw TurnsFault("\(pk) of \(collection) was not created by any process")
            }
        }
    }

    // MARK: The records that all edit

    private func checkEdits(of pk: String, in collection: String, _ content: JSON) throws(TurnsFault) {
        let place = "of \(pk) in \(collection)"
        let counts = self.calls(.count, of: pk, in: collection)
        for worker in Set(counts.map(\.worker)) {
            let own = counts.filter { $0.worker == worker }
            let last = own.last { $0.end != .open }?.number
            let possible = own.filter { $0.end == .open && $0.number > last ?? 0 }.map(\.number)
            let value = content[TurnsWorld.counter(of: worker)]?.int
            guard value == last || possible.contains(value ?? 0) else {
                throw TurnsFault(
                    "the counter of process \(worker) \(place) is \(value ?? 0), and not \(last ?? 0) or one of \(possible)"
                )
            }
        }
        let additions = self.calls(.add, of: pk, in: collection)
        let done = additions.count { $0.end != .open }
        guard let sum = content.sum?.int, done...additions.count ~= sum else {
            throw TurnsFault(
                "the sum \(place) is \(content.sum ?? .null), and not from \(done) to \(additions.count)")
        }
        try self.checkShared(of: pk, in: collection, SharedValue(content.shared?.string ?? ""))
    }

    /// Each value that was written is the last one, or another change replaced it, or it is in a journal.
    ///
    /// A value names the one that it replaced. Of a change whose process was killed that is not known if its value was replaced in turn:
    /// so each of them may have replaced one value that is not found.
    private func checkShared(of pk: String, in collection: String, _ final: SharedValue) throws(TurnsFault) {
        let changes = self.calls(.share, of: pk, in: collection)
        let open = changes.filter { $0.end == .open }
        let values = self.journal.union([final])
        var replaced = Set(values.map(\.replaced))
        for case .done(let former) in changes.map(\.end) { replaced.insert(former) }
        let kept = Set(values.map(\.name))
        let lost = changes.filter { $0.end != .open && !kept.contains($0.name) && !replaced.contains($0.name) }
        guard lost.count <= open.count else {
            throw TurnsFault(
                "\(lost.map(\.name)) \(place(pk, collection)) are neither in a journal nor replaced; \(open.count) are open"
            )
        }
        guard final.name.isEmpty || changes.contains(where: { $0.name == final.name }) else {
            throw TurnsFault("“\(final.text)” \(place(pk, collection)) was not written by any process")
        }
    }

    private func place(_ pk: String, _ collection: String) -> String { "of \(pk) in \(collection)" }

    // MARK: The file

    private func checkProjection(_ owner: SyncClient, _ notes: [String: RecordSnapshot]) async throws {
        let rows = try await owner.readTables(of: "texts") { try $0.rows("SELECT pk, content FROM app_texts") }
        guard rows.count == notes.count else {
            throw TurnsFault("the projection has \(rows.count) rows for \(notes.count) records")
        }
        for row in rows {
            guard case .text(let pk) = row[0], case .text(let text) = row[1] else {
                throw TurnsFault("the projection has the row \(row)")
            }
            guard let content = try notes[pk]?.content, content == (try JSON(parsing: Array(text.utf8))) else {
                throw TurnsFault("the projection does not have \(pk) as the store")
            }
        }
    }

    /// Checks the pages of the file; it must be closed.
    func checkFile(_ path: URL) throws {
        let database = try DatabaseConnection(.file(path.path), sharing: .none)
        defer { database.close() }
        let damage = try database.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'")
        guard damage == 0 else { throw TurnsFault("SQLite finds damage in the file") }
    }
}

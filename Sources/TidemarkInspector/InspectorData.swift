package import TidemarkCore
package import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

/// What an inspector shows of a client: one JSON object, whose members are described in `Page/FORMAT.md`.
///
/// It reads through the client alone, so a page shows what the app's code could print, and it changes nothing.
package struct InspectorData {
    /// The command line that does this on the store; nil if there is none, or if it can't be copied from a page.
    package typealias CommandLine = @Sendable (_ words: [String], _ collection: String, _ pk: String?) -> String?

    /// Where the data come from.
    package struct Source: Sendable {
        /// The name of the store.
        package var title: String

        /// The kind and time of the source, such as “copy of 12:03:11” or “live”; nil to show none.
        package var origin: String?

        /// Remarks about all of the data.
        package var notes: [String]

        /// The command line that does this on the store; nil if there is none, or if it can't be copied from a page.
        package var command: CommandLine

        /// The name of the state, for a live page.
        var revision: String?

        /// Whether the page has buttons that act: it shows a client of this process.
        private(set) var allowsActions = false

        /// The remote whose trouble the page shows; nil for none.
        var trouble: TroubleRemote?

        /// The state of a client of this process.
        init(title: String, origin: String, revision: String, trouble: TroubleRemote?) {
            self.init(title: title, origin: origin)
            self.revision = revision
            self.allowsActions = true
            self.trouble = trouble
        }

        package init(
            title: String, origin: String? = nil, notes: [String] = [], revision: String? = nil,
            command: @escaping CommandLine = { _, _, _ in nil }
        ) {
            self.title = title
            self.origin = origin
            self.notes = notes
            self.revision = revision
            self.command = command
        }
    }

    let client: SyncClient
    let source: Source
    let limits: InspectorLimits
    var reader: RecordReader
    var problems = JSONWriter()
    var problemCount = 0
    var conflicts = JSONWriter()
    var conflictCount = 0

    /// Reads the data.
    ///
    /// - Parameter now: The time, since 1970-01-01T00:00:00Z.
    /// - Returns: JSON text.
    /// - Throws: The errors of the store.
    package static func read(
        _ client: SyncClient, from source: Source, now: Duration, limits: InspectorLimits = InspectorLimits()
    ) async throws(TidemarkError) -> [UInt8] {
        var data = InspectorData(client, source, limits)
        return try await data.read(now: now)
    }

    /// Reads a part of a collection. If it is damaged, that is a problem of the page, and the other parts are there.
    private mutating func reading(
        _ records: SyncCollection<JSON>, _ part: (inout InspectorData) async throws(TidemarkError) -> Void
    ) async throws(TidemarkError) {
        do throws(TidemarkError) {
            try await part(&self)
        } catch {
            guard [.recordDamaged, .storeCorrupt].contains(error.code) else { throw error }
            self.addDamage(nil, error.message, in: records.name)
        }
    }

    /// The contents of one record, as JSON text; nil if it is absent.
    package static func record(
        _ pk: String, of records: SyncCollection<JSON>, allowsActions: Bool
    ) async throws(TidemarkError) -> [UInt8]? {
        guard let record = try await records[pk].snapshot() else { return nil }
        let conflict =
            record.phase.activity == .deciding
            ? try await records.conflicts.map(\.conflict).first { CodePointString($0.pk) == CodePointString(pk) } : nil
        var writer = JSONWriter()
        let explanation = try await records.explanations(of: [pk])[0]
        let digest = allowsActions ? try await records.digest(of: pk) : nil
        writer.element(record, explanation, conflict, commands: [], digest: digest)
        return writer.bytes
    }

    private init(_ client: SyncClient, _ source: Source, _ limits: InspectorLimits) {
        self.client = client
        self.source = source
        self.limits = limits
        self.reader = RecordReader(limits: limits, command: source.command)
    }

    private mutating func read(now: Duration) async throws(TidemarkError) -> [UInt8] {
        let status = try await self.client.status
        var queue = JSONWriter()
        var (queued, unsent) = (0, 0)
        var collections = JSONWriter()
        var journal = JSONWriter()
        var allEntries = 0
        for (index, collection) in status.collections.enumerated() {
            let records = self.client[collection.collection]
            try await self.reading(records) { (data) throws(TidemarkError) in try await data.addConflicts(of: records) }
            try await self.reading(records) { (data) throws(TidemarkError) in
                try await data.addHeld(collection, of: records)
            }
            let waiting = try await records.waiting
            self.addWaiting(waiting, of: records.name)
            self.addState(collection, in: status)
            let uploads = try await records.preview
            unsent += collection.toSend
            queued += uploads.count
            for upload in uploads { queue.element(upload, in: records.name) }
            try await self.reading(records) { (data) throws(TidemarkError) in
                try await data.reader.read(records, index: index)
            }
            self.problemCount += max(0, self.reader.damaged.count - self.limits.problems)
            for (pk, why) in self.reader.damaged.prefix(self.limits.problems) {
                self.addDamage(pk, why, in: records.name)
            }
            collections.element(collection, waiting: waiting.count, pause: status.pause(of: records.name))
            var lost: [JournalEntry] = []
            try await self.reading(records) { (_) throws(TidemarkError) in lost = try await records.journal }
            allEntries += lost.count
            let shown = lost.suffix(self.limits.entries)
            for entry in shown.reversed() {
                let digest = self.source.allowsActions ? try await records.digest(of: entry.pk) : nil
                journal.element(entry, in: records.name, digest: digest)
            }
        }
        let trace = try await self.client.trace
        var steps = JSONWriter()
        for entry in trace.entries.suffix(self.limits.steps).reversed() { steps.element(entry) }
        var data = JSONWriter(capacity: self.reader.size)
        data.object {
            $0.member("format", 1)
            $0.member("title", self.source.title)
            if let origin = self.source.origin { $0.member("source", origin) }
            $0.member("made", now.wholeMilliseconds)
            $0.strings("notes", self.source.notes)
            if let revision = self.source.revision { $0.member("revision", revision) }
            if self.source.allowsActions { $0.member("actions", true) }
            if let trouble = self.source.trouble { $0.add(trouble) }
            $0.key("status")
            $0.object { $0.addStatus(status) }
            $0.list("collections", collections)
            $0.list("problems", self.problems, total: self.problemCount)
            $0.list("queue", queue, total: max(unsent, queued))
            $0.list("conflicts", self.conflicts, total: self.conflictCount)
            $0.list("journal", journal, total: allEntries)
            $0.list("timeline", steps, total: trace.entries.count)
            $0.list("rows", self.reader.rows, total: self.reader.total)
            $0.list("records", self.reader.records)
            $0.key("diagram")
            $0.object { $0.addDiagram(counts: self.reader.counts) }
        }
        return data.bytes
    }
}

import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkTesting

/// The final state of the records: the server's rows, and on each device the view of its app and the unsent changes.
struct LostMessageEnd: Hashable, Sendable, CustomStringConvertible {
    /// One record.
    struct Record: Hashable, Sendable, CustomStringConvertible {
        var server = "none"
        var devices: [String: String] = [:]

        var description: String {
            let devices = self.devices.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
            return (["server: \(self.server)"] + devices).joined(separator: "; ")
        }
    }

    private(set) var records: [String: Record] = [:]

    /// The records that a device shows with another content than the server has, and that are not held.
    private(set) var disagreeing: [String] = []

    /// Written values that neither a view nor a journal shows.
    private(set) var unnamed: [WriteLedger.Loss] = []

    var description: String {
        self.records.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
    }

    init(of world: LostMessageWorld) async throws {
        var views: [String: [JSON]] = [:]
        var deletions: Set<String> = []
        var journal: [JournalEntry] = []
        let rows = try Self.rows(of: world)
        for (pk, row) in rows { self.records[pk, default: Record()].server = row.map(Self.text) ?? "deleted" }
        for device in [world.phone, world.tablet] {
            journal += try await device.notes.journal
            let snapshots = try await device.notes.list()
            for record in snapshots {
                let view = try record.content
                if let view { views[record.pk, default: []].append(view) } else { deletions.insert(record.pk) }
                self.records[record.pk, default: Record()].devices[device.name] = try Self.text(record)
                if record.hold == nil, record.phase != .synced || view != rows[record.pk] ?? nil {
                    self.disagreeing.append("\(record.pk) on the \(device.name)")
                }
            }
            for (pk, row) in rows where row != nil && !snapshots.contains(where: { $0.pk == pk }) {
                self.disagreeing.append("\(pk) on the \(device.name)")
            }
        }
        self.unnamed = try world.ledger.lost(views: views, kept: deletions, journal: journal)
    }

    /// The records whose state here is in none of these ends.
    func differences(from ends: [LostMessageEnd]) -> [String] {
        let pks = Set(([self] + ends).flatMap(\.records.keys))
        return pks.filter { pk in !ends.contains { $0.records[pk] == self.records[pk] } }.sorted()
    }

    /// All rows of the server; nil for a tombstone.
    private static func rows(of world: LostMessageWorld) throws -> [String: JSON?] {
        let remote = InProcessRemote(world.server, token: LostMessageWorld.token)
        let answer = try remote.exchangeNow(ExchangeRequest(collection: "notes", cursor: nil, limit: 1_000))
        var rows: [String: JSON?] = [:]
        for row in answer.page.rows {
            let data = answer.page.version(of: row).data
            rows.updateValue(try data.map { try JSON(parsing: $0) }, forKey: answer.page.pk(of: row))
        }
        return rows
    }

    private static func text(_ record: RecordSnapshot) throws -> String {
        var parts = ["\(record.phase)", try record.content.map(Self.text) ?? "no view"]
        if let patch = try record.pendingPatch {
            parts.append("to send " + patch.operations.map(Self.text).joined(separator: ","))
        }
        if let upload = record.raw.upload { parts.append("upload of \(upload.edit.count) bytes") }
        if let hold = record.hold { parts.append("held: \(hold.reason)") }
        return parts.joined(separator: ", ")
    }

    private static func text(_ operation: JSONPatch.Operation) -> String {
        let value = operation.value.map { $0.object == nil ? $0.text : Self.text($0) } ?? ""
        return "\(operation.name) \(operation.path.text) \(value)"
    }

    /// A record as canonical text, a long value by its length.
    private static func text(_ record: JSON) -> String {
        var short = record
        for (name, value) in record.object ?? [:] {
            guard let string = value.string, string.utf8.count > 20 else { continue }
            short[name] = .string(JSONString("\(string.prefix(4))… of \(string.utf8.count)"))
        }
        return (try? short.canonicalBytes()).map { String(decoding: $0, as: UTF8.self) } ?? short.text
    }
}

import TidemarkCore
import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// Reads the records of all collections: a short row for each, and the contents of as many as the limits allow.
struct RecordReader {
    private let limits: InspectorLimits
    private let command: InspectorData.CommandLine

    /// The rows, as elements of an array.
    private(set) var rows = JSONWriter()
    private var rowCount = 0

    /// The number of records, with those that have no row.
    private(set) var total = 0

    /// How many records each phase has, of those that were read.
    private(set) var counts: [RecordPhase: Int] = [:]

    /// The contents of records that need attention or have changes, as elements of an array.
    private var urgent = JSONWriter()

    /// The contents of other records.
    private var others = JSONWriter()
    private var recordCount = 0
    private var otherCount = 0

    /// The damaged records of the present collection that were met.
    private(set) var damaged: [(pk: String, why: String)] = []

    /// Records of the present collection that need attention.
    private var marked: Set<CodePointString> = []

    /// The conflicts of the present collection.
    private var conflicts: [CodePointString: RecordConflict] = [:]

    init(limits: InspectorLimits, command: @escaping InspectorData.CommandLine) {
        self.limits = limits
        self.command = command
    }

    /// The contents of records, the urgent ones first.
    var records: JSONWriter {
        var records = self.urgent
        records.json(self.others.bytes)
        return records
    }

    /// About how many bytes the data will have.
    var size: Int { self.rows.bytes.count + self.urgent.bytes.count + self.others.bytes.count + 65_536 }

    /// Counts a record of the present collection as urgent.
    mutating func markUrgent(_ pk: String) { self.marked.insert(CodePointString(pk)) }

    /// Adds an open conflict of the present collection.
    mutating func add(_ conflict: RecordConflict) { self.conflicts[CodePointString(conflict.pk)] = conflict }

    /// Reads a collection, in the order of the pks.
    mutating func read(_ records: SyncCollection<JSON>, index: Int) async throws(TidemarkError) {
        self.damaged = []
        defer { (self.marked, self.conflicts) = ([], [:]) }
        var last: String?
        repeat {
            let page = try await records.list(states: Set(SyncState.allCases), after: last, limit: Self.pageSize)
            let shown = page.filter { self.needsContents(of: $0) }
            let explanations = try await records.explanations(of: shown.map(\.pk))
            for record in page {
                self.total += 1
                self.counts[record.phase, default: 0] += 1
                self.addRow(of: record, index: index)
                if let damage = record.damage { self.damaged.append((record.pk, damage)) }
            }
            for (record, explanation) in zip(shown, explanations) { self.addContents(of: record, explanation) }
            last = page.count == Self.pageSize ? page.last?.pk : nil
        } while last != nil
    }

    private static let pageSize = 500

    private mutating func addRow(of record: RecordSnapshot, index: Int) {
        guard self.rowCount < self.limits.rows else { return }
        self.rowCount += 1
        let text = RowText(record.raw.content ?? record.raw.confirmed, size: self.limits.rowText).text
        self.rows.array {
            $0.json(String(index).utf8)
            $0.string(record.pk)
            $0.json(String(record.phase.index).utf8)
            $0.string(text)
        }
    }

    private func isUrgent(_ record: RecordSnapshot) -> Bool {
        record.phase != .synced || record.damage != nil || self.marked.contains(CodePointString(record.pk))
    }

    /// Whether there may be space for the contents. Records that are not urgent get at most half of it, since urgent ones can follow.
    private func needsContents(of record: RecordSnapshot) -> Bool {
        let isUrgent = self.isUrgent(record)
        let share = isUrgent ? 1 : 2
        let count = isUrgent ? self.recordCount : self.otherCount
        let bytes = self.others.bytes.count + (isUrgent ? self.urgent.bytes.count : 0)
        return count < self.limits.records / share && bytes < self.limits.recordBytes / share
    }

    private mutating func addContents(of record: RecordSnapshot, _ explanation: RecordExplanation?) {
        guard self.needsContents(of: record) else { return }
        self.recordCount += 1
        let conflict = self.conflicts[CodePointString(record.pk)]
        let commands = record.phase == .synced ? [] : self.commands(for: record)
        if self.isUrgent(record) {
            self.urgent.element(record, explanation, conflict, commands: commands)
        } else {
            self.otherCount += 1
            self.others.element(record, explanation, conflict, commands: commands)
        }
        if explanation == nil, record.damage == nil {
            self.damaged.append((record.pk, "A part of it, or an entry of its journal, is damaged."))
        }
    }

    private func commands(for record: RecordSnapshot) -> [String] {
        let words: [[String]] =
            switch record.phase.activity {
            case .deciding?: [["resolve", "--take", "server"], ["resolve", "--take", "client"]]
            case .held?: [["retry"], ["resign"]]
            default: [["explain"]]
            }
        return words.compactMap { self.command($0, record.collection, record.pk) }
    }
}

extension RecordPhase {
    /// The place of the phase in the diagram.
    var index: Int { Self.places[self] ?? 0 }

    private static let places = Dictionary(uniqueKeysWithValues: zip(Self.allCases, 0...))
}

/// A line of text about the content of a record: its first texts and numbers.
private struct RowText {
    let text: String

    init(_ content: [UInt8]?, size: Int) {
        guard let content else {
            self.text = ""
            return
        }
        guard let members = (try? JSON(parsing: content))?.object else {
            self.text = String(decoding: content.prefix(size), as: UTF8.self)
            return
        }
        var parts: [String] = []
        var left = size
        for (_, value) in members where left > 0 {
            guard let part = value.string ?? value.number.map({ _ in value.text }) else { continue }
            let cut = String(String.UnicodeScalarView(part.unicodeScalars.prefix(left)))
            left -= cut.unicodeScalars.count + 3
            parts.append(cut)
        }
        self.text = parts.joined(separator: " · ")
    }
}

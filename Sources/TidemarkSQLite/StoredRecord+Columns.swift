import TidemarkCore
import TidemarkDatabase
import TidemarkJSON
import TidemarkMachine

extension StoredRecord {
    /// A column of a record, in the order in which all of them are read and bound.
    enum Column: String, CaseIterable {
        case pk, state, activity
        case resyncGeneration = "resync_generation"
        case sequence, rounds, failures
        case version, data
        case editedData = "edited_data"
        case uploadID = "upload_id"
        case uploadEdit = "upload_edit"
        case uploadWasResent = "upload_was_resent"
        case uploadRecognition = "upload_recognition"
        case wasSeen = "was_seen"
        case seenVersion = "seen_version"
        case seenData = "seen_data"
        case hold
        case lastMerge = "last_merge"
        case name, watched, base

        /// Computed once.
        static let all = Self.allCases
    }

    /// Some of the columns.
    struct Columns: Hashable {
        private var bits: UInt32 = 0

        var isEmpty: Bool { self.bits == 0 }

        static let all = Columns { _ in true }

        init(where isIn: (Column) -> Bool) {
            for (place, column) in Column.all.enumerated() where isIn(column) { self.bits |= 1 << place }
        }

        /// The columns, in their order.
        var list: [Column] {
            Column.all.enumerated().compactMap { self.contains($0) ? $1 : nil }
        }

        /// Whether the column at a place among all of them is one of these.
        func contains(_ place: Int) -> Bool { self.bits & 1 << place != 0 }
    }

    /// The columns of a record, for a SELECT.
    static let columnList = Column.all.map(\.rawValue).joined(separator: ", ")

    init(_ columns: inout ColumnReader) throws(DatabaseError) {
        // In the order of the columns.
        let pk = try columns.text()
        let phase = try RecordPhase(storedState: try columns.text(), activity: try columns.textOrNull())
        let resyncGeneration = try columns.integer()
        let sequence = try columns.integer()
        let (rounds, failures) = (try columns.count(), try columns.count())
        let confirmed = try StoredVersion(&columns)
        let editedData = try columns.bytesOrNull()
        let upload = try StoredUpload.orNull(&columns)
        let wasSeen = try columns.flag()
        let seen = try StoredVersion(&columns)
        let (hold, lastMerge) = (try columns.bytesOrNull(), try columns.bytesOrNull())
        let name = try columns.textOrNull()
        let (watched, base) = (try columns.bytesOrNull(), try columns.bytesOrNull())
        self.init(
            pk: pk, phase: phase, confirmed: confirmed, upload: upload, editedData: editedData,
            seen: wasSeen ? seen : nil, rounds: rounds, failures: failures, sequence: sequence, hold: hold,
            resyncGeneration: resyncGeneration, lastMerge: lastMerge, name: name, watched: watched, base: base)
    }

    /// Binds columns to the parameters from `first` on.
    func bind(_ columns: Columns, to statement: DatabaseStatement, from first: Int) throws(DatabaseError) {
        // Without a list of the columns, which would be an allocation for each record.
        var index = first
        for (place, column) in Column.all.enumerated() where columns.contains(place) {
            try self.bind(column, to: statement, at: index)
            index += 1
        }
    }

    /// Binds a column to a parameter.
    private func bind(_ column: Column, to statement: DatabaseStatement, at index: Int) throws(DatabaseError) {
        switch column {
        case .pk: try statement.bind(index, self.pk)
        case .state:
            guard let state = self.phase.state else {
                preconditionFailure("“\(self.pk)” is absent, and an absent record can't be saved.")
            }
            try statement.bind(index, state.rawValue)
        case .activity: try statement.bind(index, self.phase.activity?.rawValue)
        case .resyncGeneration: try statement.bind(index, self.resyncGeneration)
        case .sequence: try statement.bind(index, self.sequence)
        case .rounds: try statement.bind(index, Int64(self.rounds))
        case .failures: try statement.bind(index, Int64(self.failures))
        case .version: try statement.bind(index, self.confirmed.version)
        case .data: try statement.bind(index, self.confirmed.data)
        case .editedData: try statement.bind(index, self.editedData)
        case .uploadID: try statement.bind(index, self.upload?.requestID)
        case .uploadEdit: try statement.bind(index, self.upload?.edit)
        case .uploadWasResent: try statement.bind(index, self.upload.map { $0.wasResent ? 1 : 0 as Int64 })
        case .uploadRecognition: try statement.bind(index, self.upload?.recognition.rawValue)
        case .wasSeen: try statement.bind(index, self.seen == nil ? 0 : 1 as Int64)
        case .seenVersion: try statement.bind(index, self.seen?.version)
        case .seenData: try statement.bind(index, self.seen?.data)
        case .hold: try statement.bind(index, self.hold)
        case .lastMerge: try statement.bind(index, self.lastMerge)
        case .name: try statement.bind(index, self.name)
        case .watched: try statement.bind(index, self.watched)
        case .base: try statement.bind(index, self.base)
        }
    }

    /// The columns whose value differs from that in another version of the record.
    func changes(from other: StoredRecord) -> Columns { Columns { self.differs(in: $0, from: other) } }

    /// The pk and state, and the columns whose value differs from the default of the table.
    var changesFromDefault: Columns {
        let plain = StoredRecord(pk: self.pk, phase: .synced, confirmed: StoredVersion())
        return Columns { $0 == .pk || $0 == .state || self.differs(in: $0, from: plain) }
    }

    private func differs(in column: Column, from other: StoredRecord) -> Bool {
        switch column {
        case .pk: false
        case .state: self.phase.state != other.phase.state
        case .activity: self.phase.activity != other.phase.activity
        case .resyncGeneration: self.resyncGeneration != other.resyncGeneration
        case .sequence: self.sequence != other.sequence
        case .rounds: self.rounds != other.rounds
        case .failures: self.failures != other.failures
        case .version: Self.differ(self.confirmed.version, other.confirmed.version)
        case .data: self.confirmed.data != other.confirmed.data
        case .editedData: self.editedData != other.editedData
        case .uploadID: Self.differ(self.upload?.requestID, other.upload?.requestID)
        case .uploadEdit: self.upload?.edit != other.upload?.edit
        case .uploadWasResent: self.upload?.wasResent != other.upload?.wasResent
        case .uploadRecognition: self.upload?.recognition != other.upload?.recognition
        case .wasSeen: (self.seen == nil) != (other.seen == nil)
        case .seenVersion: Self.differ(self.seen?.version, other.seen?.version)
        case .seenData: self.seen?.data != other.seen?.data
        case .hold: self.hold != other.hold
        case .lastMerge: self.lastMerge != other.lastMerge
        case .name: Self.differ(self.name, other.name)
        case .watched: self.watched != other.watched
        case .base: self.base != other.base
        }
    }

    /// By code point: two spellings that are equal in Swift are two versions.
    private static func differ(_ one: String?, _ other: String?) -> Bool {
        switch (one, other) {
        case (nil, nil): false
        case (.some(let one), .some(let other)): !one.hasSameCodePoints(as: other)
        case (nil, .some), (.some, nil): true
        }
    }
}

extension StoredVersion {
    fileprivate init(_ columns: inout ColumnReader) throws(DatabaseError) {
        self.init(version: try columns.textOrNull(), data: try columns.bytesOrNull())
    }
}

extension StoredUpload {
    /// Nil if the id is null: an upload always has an id.
    fileprivate static func orNull(_ columns: inout ColumnReader) throws(DatabaseError) -> StoredUpload? {
        let requestID = try columns.textOrNull()
        let edit = try columns.bytesOrNull()
        let wasResent = try columns.flagOrNull()
        let recognition = try columns.textOrNull()
        guard let requestID else { return nil }
        guard let recognition = recognition.flatMap(Recognition.init(rawValue:)) else {
            throw DatabaseError(unknown: recognition ?? "null", of: "recognition of an upload")
        }
        return StoredUpload(
            requestID: requestID, edit: edit ?? [], wasResent: wasResent ?? false, recognition: recognition)
    }
}

extension RecordPhase {
    /// Reads the two columns of a phase; `SYNCED` is accepted for `SYNCD` (Contract §1).
    fileprivate init(storedState: String, activity storedActivity: String?) throws(DatabaseError) {
        guard let state = storedState == "SYNCED" ? .synced : SyncState(rawValue: storedState) else {
            throw DatabaseError(unknown: storedState, of: "sync state")
        }
        if state == .synced, storedActivity == nil {
            self = .synced
            return
        }
        guard let activity = Activity(rawValue: storedActivity ?? "") else {
            throw DatabaseError(
                unknown: storedActivity ?? "null", of: "activity of a record in the state \(storedState)")
        }
        switch state {
        case .synced: throw DatabaseError(unknown: activity.rawValue, of: "activity of a record in the state SYNCD")
        case .edited: self = .edited(activity)
        case .created: self = .created(activity)
        case .deleted: self = .deleted(activity)
        }
    }
}

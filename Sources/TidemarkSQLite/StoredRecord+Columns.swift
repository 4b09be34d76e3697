import TidemarkCore
import TidemarkDatabase
import TidemarkMachine

extension StoredRecord {
    /// The columns of a record, in the order in which they are read and bound.
    static let columns = [
        "pk", "state", "activity", "listing", "sequence", "rounds", "failures", "stamp", "data", "edited_data",
        "upload_id", "upload_edit", "upload_was_resent", "upload_recognition", "was_seen", "seen_stamp", "seen_data",
        "hold", "last_merge", "name", "watched",
    ]

    /// The columns of a record, for a SELECT.
    static let columnList = Self.columns.joined(separator: ", ")

    init(_ columns: inout ColumnReader) throws(DatabaseError) {
        let pk = try columns.text()
        let phase = try RecordPhase(storedState: try columns.text(), activity: try columns.textOrNull())
        self.init(pk: pk, phase: phase, confirmed: StoredVersion())
        self.listing = try columns.integer()
        self.sequence = try columns.integer()
        self.rounds = try columns.count()
        self.failures = try columns.count()
        self.confirmed = try StoredVersion(&columns)
        self.editedData = try columns.bytesOrNull()
        self.upload = try StoredUpload.orNull(&columns)
        let wasSeen = try columns.flag()
        let seen = try StoredVersion(&columns)
        self.seen = wasSeen ? seen : nil
        self.hold = try columns.bytesOrNull()
        self.lastMerge = try columns.bytesOrNull()
        self.name = try columns.textOrNull()
        self.watched = try columns.bytesOrNull()
    }

    /// Binds the columns to the parameters from `first` on.
    func bind(to statement: DatabaseStatement, from first: Int) throws(DatabaseError) {
        guard let state = self.phase.state else {
            preconditionFailure("“\(self.pk)” is absent, and what is absent can't be saved.")
        }
        try statement.bind(first, self.pk)
        try statement.bind(first + 1, state.rawValue)
        try statement.bind(first + 2, self.phase.activity?.rawValue)
        try statement.bind(first + 3, self.listing)
        try statement.bind(first + 4, self.sequence)
        try statement.bind(first + 5, Int64(self.rounds))
        try statement.bind(first + 6, Int64(self.failures))
        try self.confirmed.bind(to: statement, from: first + 7)
        try statement.bind(first + 9, self.editedData)
        try StoredUpload.bind(self.upload, to: statement, from: first + 10)
        try statement.bind(first + 14, self.seen == nil ? 0 : 1 as Int64)
        try (self.seen ?? StoredVersion()).bind(to: statement, from: first + 15)
        try statement.bind(first + 17, self.hold)
        try statement.bind(first + 18, self.lastMerge)
        try statement.bind(first + 19, self.name)
        try statement.bind(first + 20, self.watched)
    }
}

extension StoredVersion {
    fileprivate init(_ columns: inout ColumnReader) throws(DatabaseError) {
        self.init(stamp: try columns.textOrNull(), data: try columns.bytesOrNull())
    }

    fileprivate func bind(to statement: DatabaseStatement, from first: Int) throws(DatabaseError) {
        try statement.bind(first, self.stamp)
        try statement.bind(first + 1, self.data)
    }
}

extension StoredUpload {
    /// An upload has an id; without one there is none.
    fileprivate static func orNull(_ columns: inout ColumnReader) throws(DatabaseError) -> StoredUpload? {
        let requestID = try columns.textOrNull()
        let edit = try columns.bytesOrNull()
        let wasResent = try columns.flagOrNull()
        let recognition = try columns.textOrNull()
        guard let requestID else { return nil }
        guard let recognition = recognition.map(Recognition.init(rawValue:)) ?? .byAnswer else {
            throw DatabaseError(unknown: recognition ?? "null", of: "recognition of an upload")
        }
        return StoredUpload(
            requestID: requestID, edit: edit ?? [], wasResent: wasResent ?? false, recognition: recognition)
    }

    fileprivate static func bind(
        _ upload: StoredUpload?, to statement: DatabaseStatement, from first: Int
    ) throws(DatabaseError) {
        try statement.bind(first, upload?.requestID)
        try statement.bind(first + 1, upload?.edit)
        try statement.bind(first + 2, upload.map { $0.wasResent ? 1 : 0 as Int64 })
        try statement.bind(first + 3, upload?.recognition.rawValue)
    }
}

extension RecordPhase {
    /// Reads the two columns of a phase; `SYNCED` is accepted for `SYNCD` (SPEC §1).
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

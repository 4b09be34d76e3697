import TidemarkJSON
package import TidemarkMachine
package import TidemarkRules

/// A record as the engine works on it: the machine, and what the machine does not need to know.
package struct Record: Sendable {
    /// The machine over JSON contents.
    package typealias Machine = RecordMachine<JSONChanges>

    package let pk: String
    package var machine: Machine
    package var failures = 0
    package var sequence: Int64 = 0
    package var hold: RecordHold?
    package var listing: Int64 = 0
    package var lastMerge: [UInt8]?

    /// The server's own name of it, where it makes the names (SPEC §12).
    var name: String?

    /// What the server acknowledged of it and may overwrite, where it checks a version and then writes (SPEC §12).
    var watch: AcknowledgedWatch?

    /// The frozen EDITs, by request id (I5).
    var frozen: [String: [UInt8]] = [:]

    /// A record that is not there.
    init(pk: String) {
        self.pk = pk
        self.machine = Machine()
    }
}

// MARK: - From and to the store

extension Record {
    init(_ stored: StoredRecord) throws(TidemarkError) {
        self.pk = stored.pk
        self.failures = stored.failures
        self.sequence = stored.sequence
        self.hold = stored.hold.map { RecordHold(stored: $0) }
        self.listing = stored.listing
        self.lastMerge = stored.lastMerge
        self.name = stored.name
        self.watch = stored.watched.flatMap { AcknowledgedWatch(bytes: $0) }
        self.machine = Machine(
            phase: stored.phase,
            confirmed: stored.confirmed.state,
            upload: try Self.upload(stored.upload),
            edits: try Self.patch(stored.editedData),
            seen: stored.seen?.state,
            rounds: stored.rounds,
            base: stored.base.map { RecordPayload(bytes: $0) })
        if let upload = stored.upload { self.frozen[upload.requestID] = upload.edit }
        if let missing = self.missingPart { throw .damaged("a part of it is missing", missing) }
    }

    /// What a phase can't be without. A disk may lose any column, and no disk may stop the process (R24).
    private var missingPart: MissingPart? {
        let machine = self.machine
        guard machine.hasLawfulBase else { return .conflict }
        let hasContent = machine.confirmed.content != nil || machine.upload?.change != nil || machine.edits != nil
        switch machine.phase {
        case .absent: return nil
        case .synced: return hasContent ? nil : .content
        case .edited(let activity), .created(let activity):
            guard hasContent else { return .content }
            return self.missingPart(of: activity)
        case .deleted(let activity): return self.missingPart(of: activity)
        }
    }

    private func missingPart(of activity: RecordPhase.Activity) -> MissingPart? {
        switch activity {
        case .uploading, .unconfirmed: self.machine.upload == nil ? .upload : nil
        case .deciding: self.machine.seen == nil ? .serversVersion : nil
        case .idle, .held: nil
        }
    }

    private enum MissingPart: String, Error, CustomStringConvertible {
        case content = "there is no content"
        case upload = "there is no upload"
        case serversVersion = "there is no version of the server to decide about"
        case conflict = "there is what a conflict grew from, and no conflict"

        var description: String { self.rawValue }
    }

    /// What the store keeps.
    package var stored: StoredRecord {
        StoredRecord(
            pk: self.pk,
            phase: self.machine.phase,
            confirmed: StoredVersion(self.machine.confirmed),
            upload: self.stored(self.machine.upload),
            editedData: self.machine.edits?.bytes,
            seen: self.machine.seen.map(StoredVersion.init),
            rounds: self.machine.rounds,
            failures: self.failures,
            sequence: self.sequence,
            hold: self.hold?.json.bytes,
            listing: self.listing,
            lastMerge: self.lastMerge,
            name: self.name,
            watched: self.watch?.json.bytes,
            base: self.machine.base?.bytes)
    }

    private func stored(_ upload: Machine.Upload?) -> StoredUpload? {
        guard let upload else { return nil }
        return StoredUpload(
            requestID: upload.requestID, edit: self.edit(of: upload), wasResent: upload.wasResent,
            recognition: upload.recognition)
    }

    /// The frozen bytes of an upload.
    ///
    /// - Parameter change: The text of its change, where that is known.
    private func edit(of upload: Machine.Upload, change: [UInt8]? = nil) -> [UInt8] {
        self.frozen[upload.requestID] ?? WireEdit(pk: self.pk, upload: upload, change: change).bytes
    }

    /// Freezes an upload, once: whoever asks for its bytes gets these from now on (I5).
    ///
    /// - Parameter change: The text of its change, where that is known.
    @discardableResult
    mutating func freeze(_ upload: Machine.Upload, change: [UInt8]? = nil) -> [UInt8] {
        let edit = self.edit(of: upload, change: change)
        self.frozen[upload.requestID] = edit
        return edit
    }

    private static func upload(_ stored: StoredUpload?) throws(TidemarkError) -> Machine.Upload? {
        guard let stored else { return nil }
        return try WireEdit.upload(from: stored)
    }

    private static func patch(_ bytes: [UInt8]?) throws(TidemarkError) -> JSONPatch? {
        guard let bytes else { return nil }
        do {
            return try JSONPatch(parsing: bytes)
        } catch {
            throw .damaged("its pending change can't be read", error)
        }
    }
}

extension StoredVersion {
    /// The machine's word for it.
    package var state: Record.Machine.ServerState {
        switch (self.stamp, self.data) {
        case (.some(let stamp), .some(let data)): .row(stamp: stamp, RecordPayload(bytes: data))
        case (.some(let stamp), nil): .tombstone(stamp: stamp)
        case (nil, _): .nothing
        }
    }

    package init(_ state: Record.Machine.ServerState) {
        switch state {
        case .row(let stamp, let content): self.init(stamp: stamp, data: content.bytes)
        case .tombstone(let stamp): self.init(stamp: stamp)
        case .nothing: self.init()
        }
    }
}

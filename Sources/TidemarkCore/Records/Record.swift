import TidemarkJSON
import TidemarkMachine
package import TidemarkRules

/// A record in the engine: the state machine, and the data that the machine does not need.
package struct Record: Sendable {
    /// The record machine for JSON contents.
    package typealias Machine = RecordMachine

    package let pk: String
    package var machine: Machine
    package var failures = 0
    package var sequence: Int64 = 0
    package var hold: RecordHold?
    package var resyncGeneration: Int64 = 0
    package var lastMerge: [UInt8]?

    /// The server's name of it, if the server makes the names (Contract §12).
    var name: String?

    /// The acknowledged write that the server may still overwrite, if it checks a version and then writes (Contract §12).
    var watch: AcknowledgedWrite?

    /// The immutable bytes of the EDIT of the upload, with its request id (I5).
    private var frozen: (requestID: String, bytes: [UInt8])?

    /// Makes an absent record.
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
        self.resyncGeneration = stored.resyncGeneration
        self.lastMerge = stored.lastMerge
        self.name = stored.name
        self.watch = stored.watched.flatMap { AcknowledgedWrite(bytes: $0) }
        self.machine = Machine(
            phase: stored.phase,
            confirmed: stored.confirmed.state,
            upload: try Self.upload(stored.upload),
            edits: try Self.patch(stored.editedData),
            seen: stored.seen?.state,
            rounds: stored.rounds,
            base: stored.base.map { RecordPayload(bytes: $0) })
        self.frozen = stored.upload.map { ($0.requestID, $0.edit) }
        if let missing = self.missingPart { throw .damaged("a part of it is missing", missing) }
    }

    /// The part that the phase requires and the record lacks. A disk may lose any column, and that must not stop the process
    /// (R24).
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
        case serversVersion = "the server's version of its conflict is missing"
        case conflict = "there is a base of a conflict, but no conflict"

        var description: String { self.rawValue }
    }

    /// The record in its stored form.
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
            resyncGeneration: self.resyncGeneration,
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

    /// Returns the immutable bytes of an upload.
    ///
    /// - Parameter change: The text of its change, if it is known.
    private func edit(of upload: Machine.Upload, change: [UInt8]? = nil) -> [UInt8] {
        if let frozen, frozen.requestID == upload.requestID { return frozen.bytes }
        return WireEdit(pk: self.pk, upload: upload, change: change).bytes
    }

    /// Fixes the bytes of an upload: each later request sends the same bytes (I5).
    ///
    /// - Parameter change: The text of its change, if it is known.
    @discardableResult
    mutating func freeze(_ upload: Machine.Upload, change: [UInt8]? = nil) -> [UInt8] {
        let edit = self.edit(of: upload, change: change)
        self.frozen = (upload.requestID, edit)
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
    package var state: Record.Machine.ServerState {
        switch (self.version, self.data) {
        case (.some(let version), .some(let data)): .row(version: version, RecordPayload(bytes: data))
        case (.some(let version), nil): .tombstone(version: version)
        case (nil, _): .nothing
        }
    }

    package init(_ state: Record.Machine.ServerState) {
        switch state {
        case .row(let version, let content): self.init(version: version, data: content.bytes)
        case .tombstone(let version): self.init(version: version)
        case .nothing: self.init()
        }
    }
}

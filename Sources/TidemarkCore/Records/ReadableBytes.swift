import TidemarkJSON
import TidemarkMachine

// Payloads are bytes; a printed value shows their text, and not a list of numbers.

extension String {
    /// Makes a string of bytes that contain JSON, or "none".
    fileprivate init(jsonBytes bytes: [UInt8]?) {
        self = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "none"
    }
}

extension StoredVersion: CustomStringConvertible {
    /// Version and payload.
    public var description: String { "version \(self.version ?? "none"): \(String(jsonBytes: self.data))" }
}

extension StoredUpload: CustomStringConvertible {
    /// The request id and the edit (EDIT of the wire).
    public var description: String {
        "\(self.requestID)\(self.wasResent ? " (sent again)" : ""): \(String(jsonBytes: self.edit))"
    }
}

extension RecordSnapshot: CustomStringConvertible {
    /// All parts of the record, on one line.
    public var description: String {
        let raw = self.raw
        var parts = ["\(self.pk): \(self.phase)", "view \(String(jsonBytes: raw.content))"]
        if raw.version != nil || raw.confirmed != nil {
            parts.append("data \(StoredVersion(version: raw.version, data: raw.confirmed))")
        }
        if let upload = raw.upload { parts.append("upload \(upload)") }
        if let patch = raw.pendingPatch { parts.append("edited_data \(String(jsonBytes: patch))") }
        if let hold = self.hold { parts.append("held: \(hold.reason)") }
        return parts.joined(separator: ", ")
    }
}

extension StoredJournalEntry: CustomStringConvertible {
    /// The lost value and the reason, on one line.
    public var description: String {
        "\(self.number): \(self.pk), \(self.reason): \(self.sentence)"
    }
}

extension JournalEntry: CustomStringConvertible {
    /// The lost value and the reason, on one line.
    public var description: String { self.raw.description }
}

extension SyncClient.PlannedUpload: CustomStringConvertible {
    /// The planned upload, on one line.
    public var description: String {
        "\(self.pk): \(self.state.rawValue) \(self.patch?.text ?? "none")"
    }
}

extension UploadRequest: CustomStringConvertible {
    /// The EDIT of the wire.
    public var description: String { String(jsonBytes: self.encodedEdit) }
}

extension ExchangeRequest: CustomStringConvertible {
    /// The request, on one line.
    public var description: String {
        let edits = self.uploads.map(\.description).joined(separator: ",")
        let method = self.uploads.isEmpty ? "GET" : "POST"
        let seen = self.seen.map { ", seen \($0)" } ?? ""
        return "\(method) \(self.collection) from \(self.cursor ?? "the start")\(seen) [\(edits)]"
    }
}

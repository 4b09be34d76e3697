import TidemarkJSON
import TidemarkMachine

// Payloads are bytes; whoever prints a value that holds some sees their text, and not a list of numbers.

extension String {
    /// The text of bytes that hold JSON, or "none".
    fileprivate init(jsonBytes bytes: [UInt8]?) {
        self = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "none"
    }
}

extension StoredVersion: CustomStringConvertible {
    /// Version and payload.
    public var description: String { "version \(self.stamp ?? "none"): \(String(jsonBytes: self.data))" }
}

extension StoredUpload: CustomStringConvertible {
    /// The name of the request and the EDIT in it.
    public var description: String {
        "\(self.requestID)\(self.wasResent ? " (sent again)" : ""): \(String(jsonBytes: self.edit))"
    }
}

extension RecordSnapshot: CustomStringConvertible {
    /// All that is known of the record, on one line.
    public var description: String {
        let raw = self.raw
        var parts = ["\(self.pk): \(self.phase)", "view \(String(jsonBytes: raw.content))"]
        if raw.stamp != nil || raw.confirmed != nil {
            parts.append("data \(StoredVersion(stamp: raw.stamp, data: raw.confirmed))")
        }
        if let upload = raw.upload { parts.append("upload \(upload)") }
        if let patch = raw.pendingPatch { parts.append("edited_data \(String(jsonBytes: patch))") }
        if let hold = self.hold { parts.append("held: \(hold.reason)") }
        return parts.joined(separator: ", ")
    }
}

extension StoredJournalEntry: CustomStringConvertible {
    /// What lost, and why, on one line.
    public var description: String {
        "\(self.number): \(self.pk), \(self.reason): \(self.sentence)"
    }
}

extension JournalEntry: CustomStringConvertible {
    /// What lost, and why, on one line.
    public var description: String { self.raw.description }
}

extension PlannedUpload: CustomStringConvertible {
    /// What would be sent, on one line.
    public var description: String {
        "\(self.pk): \(self.state.rawValue) \(self.patch?.text ?? "none")"
    }
}

extension UploadRequest: CustomStringConvertible {
    /// The EDIT as it goes over the wire.
    public var description: String { String(jsonBytes: self.frozen) }
}

extension ExchangeRequest: CustomStringConvertible {
    /// What is asked, on one line.
    public var description: String {
        let edits = self.uploads.map(\.description).joined(separator: ",")
        let method = self.uploads.isEmpty ? "GET" : "POST"
        let seen = self.seen.map { ", seen \($0)" } ?? ""
        return "\(method) \(self.collection) from \(self.watermark ?? "the start")\(seen) [\(edits)]"
    }
}

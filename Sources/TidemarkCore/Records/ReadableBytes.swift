import TidemarkMachine

// Payloads are bytes; whoever prints a value that holds some sees their text, and not a list of numbers.

extension String {
    /// The text of bytes that hold JSON, or "none".
    fileprivate init(jsonBytes bytes: [UInt8]?) {
        self = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "none"
    }
}

extension Payload: CustomStringConvertible {
    /// The text.
    public var description: String { String(jsonBytes: self.bytes) }
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
        var parts = ["\(self.pk): \(self.phase)", "view \(String(jsonBytes: self.view))"]
        if self.stamp != nil || self.data != nil {
            parts.append("data \(StoredVersion(stamp: self.stamp, data: self.data))")
        }
        if let upload = self.upload { parts.append("upload \(upload)") }
        if let editedData = self.editedData { parts.append("edited_data \(String(jsonBytes: editedData))") }
        if let hold = self.hold { parts.append("held \(String(jsonBytes: hold))") }
        return parts.joined(separator: ", ")
    }
}

extension JournalEntry: CustomStringConvertible {
    /// What lost, and why, on one line.
    public var description: String {
        "\(self.number): \(self.pk), \(self.reason): \(self.sentence)"
    }
}

extension PlannedUpload: CustomStringConvertible {
    /// What would be sent, on one line.
    public var description: String {
        "\(self.pk): \(self.state.rawValue) \(String(jsonBytes: self.editedData))"
    }
}

extension ExchangeRequest: CustomStringConvertible {
    /// What is asked, on one line.
    public var description: String {
        let edits = self.edits.map { String(jsonBytes: $0) }.joined(separator: ",")
        let method = self.edits.isEmpty ? "GET" : "POST"
        return "\(method) \(self.collection) from \(self.watermark ?? "the start") [\(edits)]"
    }
}

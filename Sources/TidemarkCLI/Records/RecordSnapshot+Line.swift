import Tidemark
import TidemarkAdapters

// A record as JSON, for programs (Contract §8).

extension RecordSnapshot {
    /// The treatment of line ends inside the payload, which are white space between its tokens.
    enum LineEnds {
        case asTheyAre, spaces
    }

    /// `{"pk","sync_state","phase","updated_at","data","upload","edited_data","view"}`; with a cursor also `"next"`.
    func line(lineEnds: LineEnds, next: RecordQuery.Cursor? = nil) throws -> [UInt8] {
        var line = JSONLine()
        line.add("pk", self.pk)
        line.add("sync_state", self.phase.state?.rawValue)
        line.add("phase", self.phase.description)
        line.add("updated_at", raw: self.raw.version.map { Array($0.utf8) })
        line.add("data", raw: self.raw.confirmed.map { lineEnds.applied(to: $0) })
        line.add("upload", raw: try self.raw.upload?.line().bytes)
        line.add("edited_data", raw: self.raw.pendingPatch)
        line.add("view", raw: self.raw.content.map { lineEnds.applied(to: $0) })
        if let next { line.add("next", next.text) }
        return line.bytes
    }
}

extension RecordSnapshot.LineEnds {
    func applied(to bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .asTheyAre: bytes
        case .spaces: bytes.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        }
    }
}

extension StoredUpload {
    /// `{"request_id","edited_data"}`; a deletion has no edited_data.
    fileprivate func line() throws -> JSONLine {
        let edit = try RecordPayload(bytes: self.edit).json()
        var line = JSONLine()
        line.add("request_id", self.requestID)
        line.add("edited_data", edit["edited_data"])
        return line
    }
}

import TidemarkJSON
import TidemarkMachine
import TidemarkRules

/// One EDIT of a POST, as bytes (Contract §5).
struct WireEdit {
    /// The text: compact JSON, members always in the same order.
    let bytes: [UInt8]

    /// Writes the immutable bytes of an upload.
    ///
    /// - Parameter change: The text of its change, if it is known.
    init(pk: String, upload: Record.Machine.Upload, change: [UInt8]? = nil) {
        let change = change ?? upload.change?.bytes
        var writer = JSONWriter(capacity: Self.expectedMembers + pk.utf8.count + (change?.count ?? 0))
        writer.object { edit in
            edit.member("request_id", upload.requestID)
            edit.member("pk", pk)
            edit.member("sync_state", upload.intent.rawValue)
            edit.member("updated_at", json: upload.version?.utf8)
            if let change { edit.member("edited_data", json: change) }
        }
        self.bytes = writer.bytes
    }

    /// The bytes of an EDIT besides its pk and its change, with a UUID and the version of most servers.
    private static let expectedMembers = 160

    /// Reads an upload from its stored bytes.
    static func upload(from stored: StoredUpload) throws(TidemarkError) -> Record.Machine.Upload {
        do {
            let edit = try JSON(parsing: stored.edit)
            guard let name = edit["sync_state"]?.string, let intent = Record.Machine.Upload.Intent(rawValue: name)
            else {
                throw JSONError(.shape, "an upload without a sync_state")
            }
            let version: String? =
                switch edit["updated_at"] {
                case .some(.null), nil: nil
                case .some(let version): version.text
                }
            return Record.Machine.Upload(
                requestID: stored.requestID, intent: intent, version: version,
                change: try edit["edited_data"].map { (json) throws(JSONError) in try JSONPatch(json: json) },
                wasResent: stored.wasResent, recognition: stored.recognition)
        } catch {
            throw .damaged("its upload can't be read", error)
        }
    }
}

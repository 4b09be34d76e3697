import Tidemark
import TidemarkCore

/// `tidemark sync --dry-run`: prints what a sync would send first, and sends nothing.
///
/// It does not contact the server, so the store needs none. The effects of an answer are unknown before it arrives.
enum SyncPreview {
    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(reading: input, console)
        let names = input.positions.isEmpty ? try await store.client.collectionNames : input.positions.unique
        let isJSON = input.has(Option.json)
        for name in names {
            // Before the collection is read, since reading adds it to those that the client knows.
            let isKnown = try await store.knows(name)
            let nearest = try await store.nearest(to: name).map { "; did you mean \($0)?" } ?? "."
            let uploads = try await store.collection(name).preview
            for upload in uploads {
                if isJSON {
                    try console.print(bytes: upload.line(in: name).bytes)
                } else {
                    try console.print(upload.sentence(in: name))
                }
            }
            if uploads.isEmpty, !isJSON { try console.print("\(name): nothing to send") }
            if !isKnown {
                try console.flush()
                console.say("“\(name)” is not in this store\(nearest)")
            }
            let later = try await store.collection(name).status.toSend - uploads.count
            if later > 0 {
                try console.flush()
                console.say("\(name): \(later) more would follow after the server's answer to these")
            }
        }
        return .success
    }
}

extension SyncClient.PlannedUpload {
    /// `{"collection","pk","sync_state","updated_at","edited_data","request_id"}`; a deletion has no edited_data (null),
    /// and only an edit that is sent again has a request_id.
    fileprivate func line(in collection: String) -> JSONLine {
        var line = JSONLine()
        line.add("collection", collection)
        line.add("pk", self.pk)
        line.add("sync_state", self.state.rawValue)
        line.add("updated_at", raw: self.version.map { Array($0.utf8) })
        line.add("edited_data", raw: self.patch?.bytes)
        line.add("request_id", self.requestID)
        return line
    }

    /// The line for the user.
    fileprivate func sentence(in collection: String) -> String {
        let change = self.patch.map { " \($0.text)" } ?? ""
        let again = self.requestID == nil ? "" : ", sent again, since its outcome is unknown"
        return "\(collection) \(JSONString(self.pk).source): \(self.state.rawValue)\(change)\(again)"
    }
}

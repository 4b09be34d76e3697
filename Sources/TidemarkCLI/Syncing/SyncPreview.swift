import Tidemark

/// `tidemark sync --dry-run`: what a sync would send first, without sending it.
///
/// No server is reached, so none need be known or run. What an answer would lead to can't be known before it is there.
enum SyncPreview {
    static func run(_ input: Arguments, _ console: Console) async throws -> ExitStatus {
        let store = try await OpenStore(input)
        let names = input.positions.isEmpty ? try await store.client.collectionNames : input.positions.unique
        let isJSON = input.has(Option.json)
        for name in names {
            // Before anything of it is read: with that the client knows the collection.
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
                console.say("“\(name)” is not known here\(nearest)")
            }
            let later = try await store.collection(name).status.toSend - uploads.count
            if later > 0 {
                try console.flush()
                console.say("\(name): \(later) more would follow, once the server has answered for these")
            }
        }
        return .success
    }
}

extension PlannedUpload {
    /// `{"collection","pk","sync_state","updated_at","edited_data","request_id"}`; a deletion has no edited_data (null),
    /// and only what is sent again has a request_id.
    fileprivate func line(in collection: String) -> JSONLine {
        var line = JSONLine()
        line.add("collection", collection)
        line.add("pk", self.pk)
        line.add("sync_state", self.state.rawValue)
        line.add("updated_at", raw: self.stamp.map { Array($0.utf8) })
        line.add("edited_data", raw: self.patch?.bytes)
        line.add("request_id", self.requestID)
        return line
    }

    /// One line for a person.
    fileprivate func sentence(in collection: String) -> String {
        let change = self.patch.map { " \($0.text)" } ?? ""
        let again = self.requestID == nil ? "" : ", again, since no answer has settled it"
        return "\(collection) \(JSONString(self.pk).source): \(self.state.rawValue)\(change)\(again)"
    }
}

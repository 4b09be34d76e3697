import Foundation

/// The usual code without Tidemark: decode a page with `JSONSerialization`, encode each record, insert it.
enum FoundationLoop {
    static func take(_ feed: FeedData, into store: BareStore) throws {
        for page in feed.pages {
            let object = try JSONSerialization.jsonObject(with: Data(page)) as? [String: Any]
            guard let items = object?["items"] as? [[String: Any]] else { throw CocoaError(.fileReadCorruptFile) }
            let rows = try items.map { item in
                guard let pk = item["pk"] as? String, let version = item["updated_at"] as? NSNumber,
                    let data = item["data"]
                else { throw CocoaError(.fileReadCorruptFile) }
                let bytes = try JSONSerialization.data(withJSONObject: data)
                return Acknowledger.Row(pk: pk, version: version.stringValue, data: Array(bytes))
            }
            try store.insert(rows)
        }
    }
}

import TidemarkCore
import TidemarkJSON

/// The place of a check's records: a new collection, or the records with a prefix of an existing one.
struct ConformancePlace: Sendable {
    /// The name of the collection.
    let collection: String

    /// The beginning of all pks and request ids; empty in a new collection.
    let prefix: String

    /// The cursor from which the check reads instead of from the start; nil in a new collection.
    let start: String?

    init(_ collection: String, prefix: String = "", start: String? = nil) {
        self.collection = collection
        self.prefix = prefix
        self.start = start
    }

    /// The request for the place instead of for a new collection.
    func request(_ request: ExchangeRequest) -> ExchangeRequest {
        guard !self.prefix.isEmpty else { return request }
        var request = request
        request.cursor = request.cursor ?? self.start
        request.uploads = request.uploads.map(self.upload)
        return request
    }

    private func upload(_ upload: UploadRequest) -> UploadRequest {
        guard var edit = try? JSON(parsing: upload.encodedEdit) else { return upload }
        edit["request_id"] = JSON(self.prefix + upload.requestID)
        // An empty pk is sent to be refused.
        if !upload.pk.isEmpty { edit["pk"] = JSON(self.prefix + upload.pk) }
        guard
            var changed = try? UploadRequest(
                encodedEdit: edit.bytes, base: upload.base, wasResent: upload.wasResent)
        else { return upload }
        (changed.name, changed.members) = (upload.name, upload.members)
        return changed
    }

    /// The answer as that of a new collection: only the rows of this place, with the names of the check.
    func answer(_ answer: ExchangeAnswer) -> ExchangeAnswer {
        guard !self.prefix.isEmpty else { return answer }
        var answer = answer
        answer.results = answer.results.map { result in
            var result = result
            result.requestID = self.withoutPrefix(result.requestID) ?? result.requestID
            return result
        }
        let page = answer.page
        let items = page.rows.compactMap { row -> FeedPage.Item? in
            guard let pk = self.withoutPrefix(page.pk(of: row)) else { return nil }
            let version = page.version(of: row)
            return FeedPage.Item(
                pk: JSON(pk).text, version: version.version ?? "null", data: version.text,
                name: page.name(of: row).map { JSON($0).text })
        }
        answer.page = FeedPage(items)
        return answer
    }

    private func withoutPrefix(_ name: String) -> String? {
        let (prefix, bytes) = (Array(self.prefix.utf8), Array(name.utf8))
        guard bytes.starts(with: prefix) else { return nil }
        return String(decoding: bytes.dropFirst(prefix.count), as: UTF8.self)
    }
}

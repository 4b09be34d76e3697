import TidemarkCore
import TidemarkJSON

extension ProblemDetails {
    /// Reads a problem document (RFC 9457); nil unless it is a JSON object.
    ///
    /// A member of the wrong type is ignored, as the RFC requires (section 3.1), so that a careless server is still understood.
    init?(bytes: [UInt8], status: Int) {
        guard let document = try? JSON(parsing: bytes) else { return nil }
        self.init(document: document, status: status)
    }

    /// Makes a problem document from parsed JSON; nil unless it is an object.
    init?(document: JSON, status: Int) {
        guard document.object != nil else { return nil }
        let words = ["detail", "title"].lazy.compactMap { document[$0]?.string }.first { !$0.isEmpty }
        self.init(status: status, title: words ?? "The server gives no reason (status \(status)).", document: document)
        // A document without words is shown as it is, unless it is too large.
        if words == nil, document.bytes.count <= Self.documentSize { self.document = Self.bounded(document) }
    }
}

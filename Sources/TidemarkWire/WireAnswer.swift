package import TidemarkCore
import TidemarkJSON
import TidemarkMachine

/// Decodes an HTTP answer (Contract §3.5, §5): all decisions about status codes, types and shapes are made here.
///
/// A transport passes the answer on, and decides nothing:
///
/// ```
/// let answer = try WireAnswer.decode(
///     status: response.status, header: { response.header($0) }, body: response.body, request: request)
/// ```
package enum WireAnswer {
    /// Reads the answer to a request.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - header: Looks up a header field; compare the name without regard to case.
    ///   - body: The whole body, uncompressed.
    ///   - request: The request. Results count only for its edits.
    ///   - base: The URL of the server, if it has one: a redirect within its origin does not count as a captive portal.
    /// - Throws: The failure. Any reply that is not clearly an answer is a failure: an empty body never means "no
    ///   rows".
    package static func decode(
        status: Int, header: (String) -> String?, body: [UInt8], request: ExchangeRequest, base: String? = nil
    ) throws(RemoteFailure) -> ExchangeAnswer {
        try WireVersion.check(header(WireVersion.field))
        let reply = HTTPReply(status: status, header: header, body: body, base: base)
        guard status == 200 else { throw reply.failure }
        if let failure = reply.failureInSpiteOfStatus {
            throw failure
        }
        return try AnswerBody(body, of: reply, to: request).answer()
    }
}

/// The members of an ANSWER, found by one pass over its bytes.
struct AnswerBody {
    /// The indexes of the members of an ITEM and of a RESULT in a scanned row.
    enum Field {
        static let item = ["pk", "updated_at", "is_active", "data"]
        /// The last one is an ITEM, whose members follow.
        static let result = ["request_id", "is_conflicted", "error", "item"]

        static let pk = 0
        static let version = 1
        static let isActive = 2
        static let data = 3
        static let requestID = 4
        static let isConflicted = 5
        static let error = 6
        static let outcomeItem = 7
        static let outcome = 8
    }

    let text: ScannedText
    let scan: JSONRowScan
    let request: ExchangeRequest

    init(_ bytes: [UInt8], of reply: HTTPReply, to request: ExchangeRequest) throws(RemoteFailure) {
        // A GET is the hot path, and has no results.
        let isPost = !request.uploads.isEmpty
        func scan(_ depth: Int) throws(JSONError) -> JSONRowScan {
            // The transport limits the size of an answer; this is the limit of the scanner only.
            try JSONRowScanner.scan(
                bytes, arrays: isPost ? ["items", "results"] : ["items"],
                fields: isPost ? Field.item + Field.result : Field.item, inner: isPost ? Field.item : [],
                limits: JSON.Limits(nestingDepth: depth, bytes: Int(Int32.max)))
        }
        do throws(JSONError) {
            do throws(JSONError) {
                self.scan = try scan(JSON.Limits.default.nestingDepth)
                self.text = ScannedText(bytes: bytes)
            } catch  where error.code == .nesting {
                self.scan = try scan(Self.deepest)
                self.text = ScannedText(bytes: bytes, isDeep: true)
            }
        } catch {
            throw reply.notUnderstood("it is not the JSON of an answer: \(error)")
        }
        self.request = request
    }

    /// The maximum nesting of an answer: a record that is nested deeper than a document may be is malformed, and does not block
    /// the others.
    private static let deepest = 1_024

    func answer() throws(RemoteFailure) -> ExchangeAnswer {
        let cursor = try self.string("max_updated_at")
        let hasMore = try self.bool("more")
        let answer = ExchangeAnswer(
            results: self.request.uploads.isEmpty ? [] : try self.results(),
            page: try self.page(), cursor: cursor, hasMore: hasMore, epoch: try self.string("epoch"),
            account: try self.string("account"), left: self.text.count(self.member("left")))
        // A request for the same cursor would be repeated without an end (I8).
        // The results of a POST count nevertheless, and the engine detects the repetition.
        guard
            !self.request.uploads.isEmpty || !hasMore
                || CodePointString(cursor) != CodePointString(self.request.cursor ?? "")
        else {
            throw Self.fault("“more” is true, but “max_updated_at” is the cursor of the request")
        }
        return answer
    }

    func rows(_ name: String) throws(RemoteFailure) -> JSONRowScan.Rows {
        guard let rows = self.scan.rows(in: name) else { throw self.wrong(name, wanted: "an array") }
        return rows
    }

    private func string(_ name: String) throws(RemoteFailure) -> String {
        guard let value = self.text.string(self.member(name)) else { throw self.wrong(name, wanted: "a string") }
        return value
    }

    private func bool(_ name: String) throws(RemoteFailure) -> Bool {
        guard let value = self.text.bool(self.member(name)) else { throw self.wrong(name, wanted: "a boolean") }
        return value
    }

    private func member(_ name: String) -> Range<Int> {
        self.scan.members[CodePointString(name)] ?? 0..<0
    }

    private func wrong(_ name: String, wanted: String) -> RemoteFailure {
        Self.fault(ItemFault("“\(name)”", is: self.text.kind(self.member(name)), notOne: wanted).reason)
    }

    private static func fault(_ reason: String) -> RemoteFailure {
        RemoteFailure(
            .invalidAnswer,
            "The server's answer is malformed: \(reason). Check that the URL is that of a Tidemark server.")
    }
}

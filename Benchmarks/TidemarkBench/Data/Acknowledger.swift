import GeneratedRows
import Synchronization
import Tidemark
import TidemarkCore
import TidemarkWire

/// A server that accepts every edit at once, and records its requests and answers.
final class Acknowledger: Remote {
    let capabilities = RemoteCapabilities.native

    /// One exchange, as HTTP carries it.
    struct Exchange: Sendable {
        let wire: WireRequest
        let answer: [UInt8]
        let rows: [Row]

        /// The places of the request ids in the answer.
        let ids: [Range<Int>]
    }

    /// A record after its edit.
    struct Row: Sendable {
        let pk: String
        let version: String
        let data: [UInt8]

        /// The record before its edit; empty if it is not used.
        var before: [UInt8] = []
    }

    private let log = Mutex<[Exchange]>([])
    private let remembers: Bool

    init(remembering: Bool) {
        self.remembers = remembering
    }

    var exchanges: [Exchange] { self.log.withLock { $0 } }

    func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let rows = try request.uploads.map { (upload) throws(RemoteFailure) in try Self.row(after: upload) }
        let answer = Self.answer(request, rows)
        if self.remembers {
            let ids = RequestIDs.places(in: answer)
            self.log.withLock {
                $0.append(Exchange(wire: WireRequest(request), answer: answer, rows: rows, ids: ids))
            }
        }
        return try JSONAnswer.decode(answer, to: request)
    }

    private static func row(after upload: UploadRequest) throws(RemoteFailure) -> Row {
        do {
            let version = (upload.version.flatMap { Int($0) } ?? 1_763_000_000_000_000) + 10_000_000
            return Row(
                pk: upload.pk, version: String(version), data: try upload.record()?.bytes ?? [],
                before: upload.base ?? [])
        } catch {
            throw RemoteFailure(.invalidAnswer, "The edit does not fit its base: \(error)")
        }
    }

    private static func answer(_ request: ExchangeRequest, _ rows: [Row]) -> [UInt8] {
        let results = zip(request.uploads, rows).map { upload, row in
            """
            {"request_id":"\(upload.requestID)","pk":"\(row.pk)","is_conflicted":false,"item":{"pk":"\(row.pk)",\
            "updated_at":\(row.version),"is_active":true,"data":\(String(decoding: row.data, as: UTF8.self))},"error":null}
            """
        }
        let mark = request.cursor ?? "w0"
        let head = request.uploads.isEmpty ? "{" : #"{"results":[\#(results.joined(separator: ","))],"#
        return Array(#"\#(head)"items":[],"max_updated_at":"\#(mark)","more":false,"epoch":"e","account":"a"}"#.utf8)
    }
}

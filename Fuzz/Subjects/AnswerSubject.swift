import TidemarkCore
import TidemarkJSON
import TidemarkWire

/// An answer of a server: `GET 200`, fields, an empty line, the body (Contract §5). Whatever it is, it is an answer or a failure
/// (I8), and what it says lies within its bytes.
enum AnswerSubject {
    static func examine(_ input: [UInt8]) {
        let lines = input.lines
        let head = lines.prefix { !$0.isEmpty }
        let body = lines.dropFirst(head.count + 1).joined(separator: [UInt8(ascii: "\n")])
        let first = (head.first ?? []).repairedText.split(separator: " ")
        let fields = head.dropFirst().map { line in
            let sides = line.split(separator: UInt8(ascii: ":"), maxSplits: 1).map(\.repairedText)
            return (name: sides.first?.lowercased() ?? "", value: sides.count > 1 ? sides[1] : "")
        }
        let uploads = first.first == "POST" ? ["r1", "r2"].map(self.upload) : []
        let request = ExchangeRequest(collection: "notes", uploads: uploads, cursor: "w1", limit: 3)
        let answer = try? WireAnswer.decode(
            status: first.last.flatMap { Int($0) } ?? 200,
            header: { name in fields.first { $0.name == name.lowercased() }?.value },
            body: Array(body), request: request, base: "https://example.org/v1")
        if let answer {
            self.examine(answer, to: request)
        }
    }

    private static func upload(_ requestID: String) -> UploadRequest {
        UploadRequest(
            requestID: requestID, pk: requestID, intent: .delete, version: "1", patch: nil, base: nil, wasResent: false,
            encodedEdit: Array(
                #"{"request_id":"\#(requestID)","pk":"\#(requestID)","sync_state":"DELETED","updated_at":1}"#.utf8))
    }

    private static func examine(_ answer: ExchangeAnswer, to request: ExchangeRequest) {
        law("there is at most one result for each edit") {
            Set(answer.results.map(\.requestID)).count == answer.results.count
                && answer.results.count <= request.uploads.count
        }
        for row in answer.page.rows {
            law("a row has a key") { !answer.page.pk(of: row).isEmpty }
            law("the version of a row is JSON") {
                let version = answer.page.version(of: row)
                let name = try version.version.map { try JSON(parsing: $0) }
                return try name != nil && version.data.map { try JSON(parsing: $0).object != nil } ?? row.isTombstone
            }
        }
    }
}

import Testing
import TidemarkCore
import TidemarkWire

/// One answer as an HTTP client returns it.
struct SampleReply: Sendable, CustomTestStringConvertible {
    var name: String
    var status = 200
    var headers: [String: String] = ["Content-Type": "application/json"]
    var body: String

    var testDescription: String { self.name }

    func decode(_ request: ExchangeRequest) throws(RemoteFailure) -> ExchangeAnswer {
        try WireAnswer.decode(
            status: self.status, header: { self.headers[$0] }, body: Array(self.body.utf8), request: request)
    }

    func failure(_ request: ExchangeRequest) -> RemoteFailure? {
        do throws(RemoteFailure) {
            _ = try self.decode(request)
            return nil
        } catch {
            return error
        }
    }
}

extension ExchangeRequest {
    static let get = ExchangeRequest(collection: "notes", cursor: "w1", limit: 100)

    /// A POST of edits whose request ids are r1, r2, … and whose pks are p1, p2, …
    static func post(_ count: Int) -> ExchangeRequest {
        let uploads = (1...count).map { number in
            UploadRequest(
                requestID: "r\(number)", pk: "p\(number)", intent: .delete, version: "1", patch: nil, base: nil,
                wasResent: false,
                encodedEdit: Array(
                    #"{"request_id":"r\#(number)","pk":"p\#(number)","sync_state":"DELETED","updated_at":1}"#.utf8))
        }
        return ExchangeRequest(collection: "notes", uploads: uploads, cursor: "w1", limit: 100)
    }
}

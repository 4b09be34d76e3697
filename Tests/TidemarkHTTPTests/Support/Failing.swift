import Testing
import TidemarkCore
import TidemarkHTTP
import TidemarkJSON
import TidemarkMachine

extension ExchangeRequest {
    static let get = ExchangeRequest(collection: "notes", cursor: nil, limit: 10)

    /// A POST of one create whose record has a text of some length.
    static func post(_ length: Int = 1) -> ExchangeRequest {
        let text = String(repeating: "x", count: length)
        let edit =
            #"{"request_id":"r1","pk":"p1","sync_state":"CREATED","edited_data":"#
            + #"[{"op":"add","path":"","value":{"text":"\#(text)"}}]}"#
        let upload = UploadRequest(
            requestID: "r1", pk: "p1", intent: .create, version: nil,
            patch: JSONPatch([.add(.root, ["text": .string(JSONString(text))])]), base: nil, wasResent: false,
            encodedEdit: Array(edit.utf8))
        return ExchangeRequest(collection: "notes", uploads: [upload], cursor: nil, limit: 10)
    }
}

/// An answer to a GET without rows.
let emptyAnswer = #"{"items":[],"max_updated_at":"w","more":false,"epoch":"e","account":"a"}"#

/// The failure of an exchange that has to fail.
func exchangeFailure(of remote: HTTPRemote, _ request: ExchangeRequest = .get) async throws -> RemoteFailure {
    var found: RemoteFailure?
    do throws(RemoteFailure) {
        _ = try await remote.exchange(request)
    } catch {
        found = error
    }
    return try #require(found)
}

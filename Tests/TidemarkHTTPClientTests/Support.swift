import Testing
import TidemarkHTTPClient

/// The failure of a request that has to fail.
func failure(of client: HTTPClient, _ request: HTTPRequest) async throws -> HTTPFailure {
    var found: HTTPFailure?
    do throws(HTTPFailure) {
        _ = try await client.send(request)
    } catch {
        found = error
    }
    return try #require(found)
}

extension HTTPRequest {
    static let get = HTTPRequest("GET", "/notes")
}

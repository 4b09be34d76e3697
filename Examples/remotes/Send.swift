public import TidemarkHTTPClient

/// Sends one request to a server, and returns its answer.
///
/// An app passes `{ try await client.send($0) }` with an `HTTPClient`; a test passes a fake of the server.
public typealias Send = @Sendable (HTTPRequest) async throws -> HTTPAnswer

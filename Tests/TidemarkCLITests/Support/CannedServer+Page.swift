import CannedHTTP

extension CannedServer.Reply {
    /// A page without rows.
    static let emptyPage = Self.http(
        "200 OK", ["Content-Type: application/json"],
        body: #"{"items":[],"max_updated_at":"1","more":false,"epoch":"e","account":"a"}"#)
}

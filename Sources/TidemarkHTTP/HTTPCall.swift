/// One request as a transport sends it.
struct HTTPCall: Sendable {
    let url: String
    let headers: [(name: String, value: String)]

    /// What is sent by POST; nil for a GET.
    let body: [UInt8]?

    /// The server as its person knows it, for messages.
    let base: String
    let options: HTTPRemote.Options
}

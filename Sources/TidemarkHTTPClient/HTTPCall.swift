/// One request in the form for a transport.
struct HTTPCall: Sendable {
    let method: String
    let url: String
    var fields: [(name: String, value: String)]

    /// The body; nil for a method without one.
    var body: [UInt8]?

    /// The receiver of the answer's body; nil if all of it is collected first.
    var stream: AnswerStream?

    /// The server's URL as the user knows it, for messages.
    let base: String
    let limits: HTTPClient.Limits

    /// The certificates that sign the server's; nil for those of the system.
    var trusted: TrustedCertificates?

    /// The keys of which the server must have one; nil for any.
    var pinned: PinnedKeys?
}

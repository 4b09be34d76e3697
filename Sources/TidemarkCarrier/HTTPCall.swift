/// One request as a transport sends it.
struct HTTPCall: Sendable {
    let method: String
    let url: String
    var fields: [(name: String, value: String)]

    /// What is sent; nil for a method that has no body.
    var body: [UInt8]?

    /// Whether the body of the answer is handed over as it comes; nil where all of it is received first.
    var stream: AnswerStream?

    /// The server as its person knows it, for messages.
    let base: String
    let limits: HTTPCarrier.Limits
}

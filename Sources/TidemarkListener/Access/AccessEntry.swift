import TidemarkJSON
public import TidemarkServer

/// One answered request, for an access log: without a token, and without the pk or the content of a record.
public struct AccessEntry: Sendable {
    /// The time of the answer, in microseconds since 1970.
    public var time: Int64
    /// The request's id: `X-Request-Id` of the request, from a proxy for example, or a new one. The answer has it, too.
    public var id: String
    /// The client's address, without the part that distinguishes the machines of an IPv6 network.
    public var address: String
    /// The account; nil if the request was not authorized.
    public var account: String?
    /// The method as it came, possibly shortened.
    public var method: String
    /// The kind of the request.
    public var kind: RequestKind
    /// The status of the answer.
    public var status: Int
    /// The time from the request's head to its answer.
    public var duration: Duration
    /// The bytes of the request's body.
    public var received: Int
    /// The bytes of the answer's body, uncompressed.
    public var sent: Int

    /// The entry as a line of JSON, without a line break.
    public var line: [UInt8] {
        var writer = JSONWriter()
        writer.object { entry in
            entry.member("time", self.time)
            entry.member("id", self.id)
            entry.member("address", self.address)
            if let account = self.account { entry.member("account", account) }
            entry.member("method", String(self.method.prefix(Self.methodLimit)))
            entry.member("request", self.kind.label)
            entry.member("status", Int64(self.status))
            let (seconds, attoseconds) = self.duration.components
            entry.member("microseconds", seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
            entry.member("received", Int64(self.received))
            entry.member("sent", Int64(self.sent))
        }
        return writer.bytes
    }

    /// The most characters of a method in the log.
    static let methodLimit = 32
}

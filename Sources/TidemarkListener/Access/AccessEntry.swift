import TidemarkJSON
public import TidemarkServer

/// One request that was answered, for a log of who comes: without a token, without the name of a record, and without what is
/// in one.
public struct AccessEntry: Sendable {
    /// When it was answered, in microseconds since 1970.
    public var time: Int64
    /// The request's id: what came as `X-Request-Id`, from a proxy say, or made here. The answer has it, too.
    public var id: String
    /// From where it came: an address, without the part that tells one machine of an IPv6 network from the other.
    public var address: String
    /// The account that asked; nil where nobody was recognised.
    public var account: String?
    /// The method as it came, or what is left of it.
    public var method: String
    /// What was asked for.
    public var kind: RequestKind
    /// The status of the answer.
    public var status: Int
    /// From the head of the request to its answer.
    public var duration: Duration
    /// How many bytes of body came.
    public var received: Int
    /// How many bytes of body the answer has, before it is packed.
    public var sent: Int

    /// The entry as a line of JSON, without a line end.
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

    /// How many characters of a method are shown.
    static let methodLimit = 32
}

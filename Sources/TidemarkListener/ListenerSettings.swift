/// Where a listener listens, and how patient it is.
public struct ListenerSettings: Sendable, Hashable {
    /// The address to listen on: an IPv4 or IPv6 address, or `localhost`.
    public var address: String
    /// The port; 0 takes one that is free, see ``HTTPListener/port``.
    public var port: UInt16
    /// How long a client may be silent, or take for the head of its request, before it is dropped (SPEC W10).
    public var clientTimeout: Duration
    /// How many bytes a second a client must send or take beyond that time, so that dripping does not help it.
    public var slowestRate = 1_024
    /// How many clients may be connected at once, besides those that wait for hints, of which there are as many as
    /// `ServerLimits.watches` says. A newcomer takes the place of who has been idle longest; where nobody is idle it gets 503
    /// (SPEC §3.7).
    public var connections = 1_000
    /// How many of them may come from one address (of IPv6: from one /64 network); more is needed behind a proxy that
    /// makes many.
    public var connectionsPerAddress = 256
    /// How many clients that wait for hints may come from one address; one more gets 503, and asks now and then instead. More is
    /// needed behind a proxy.
    public var watchesPerAddress = 4_096
    /// How many more may be connected while they are told that there is no place.
    public var turnedAway = 64
    /// How long such a client has to ask something, to be told.
    public var turnedAwayTimeout: Duration = .seconds(2)
    /// How many bytes of bodies that come in and of answers that clients take their time with may be in memory for all of them
    /// together. Where it is reached, who asks gets 503, and reads it at once (SPEC §3.7).
    public var heldBytes = 256 << 20
    /// How many of them may be answers to what one account reads; where it is reached, its next reader gets 503.
    public var heldBytesPerAccount = 64 << 20
    /// When a client that was turned away is asked to try again.
    public var retryAfter: Duration = .seconds(5)
    /// After how long a watch is sent a comment line where there was no hint (SPEC §10), so that both sides know that the
    /// other one is there.
    public var heartbeat: Duration = .seconds(15)
    /// How long ``HTTPListener/stop()`` waits for what is being answered.
    public var grace: Duration = .seconds(5)
    /// How large a body must be to be sent packed.
    public var packedFrom = 1_024

    /// With what it speaks TLS; nil where it speaks HTTP in the clear, behind a proxy that ends TLS, or for this machine alone.
    public var identity: ServerIdentity?

    /// Settings for an address; everything else has a value that suits a small server.
    public init(address: String = "127.0.0.1", port: UInt16 = 0, clientTimeout: Duration = .seconds(30)) {
        self.address = address
        self.port = port
        self.clientTimeout = clientTimeout
    }
}

/// What a server shows itself with over TLS.
public struct ServerIdentity: Sendable, Hashable {
    /// The certificate, and those that lead to its authority behind it, in PEM.
    public var certificate: String
    /// The private key of the certificate, in PEM.
    public var key: String

    /// An identity from the texts of its two files.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

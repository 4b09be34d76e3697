/// The address, timeouts and limits of a listener.
public struct ListenerSettings: Sendable, Hashable {
    /// The address to listen on: an IPv4 or IPv6 address, or `localhost`.
    public var address: String
    /// The port; 0 selects a free one, see ``HTTPListener/port``.
    public var port: UInt16
    /// How long a client may be silent, or take for the head of its request, before its connection is closed (W10).
    public var clientTimeout: Duration
    /// How many bytes per second a client must send or read beyond that time, so that single bytes do not extend it
    /// indefinitely.
    public var slowestRate = 1_024
    /// The most connections with requests, in addition to watches, which `ServerLimits.watches` limits. A new connection
    /// replaces the one that has waited longest for a whole head; if all have one, it gets 503 (Contract §3.7).
    public var connections = 1_000
    /// The most of them from one address (of IPv6: from one /64 network); a proxy that makes many connections needs more.
    public var connectionsPerAddress = 256
    /// The most watches from one address; one more gets 503, and polls instead. A proxy needs more.
    public var watchesPerAddress = 4_096
    /// The most additional connections that get only the refusal.
    public var refusedConnections = 64
    /// How long such a client may take to send its request.
    public var refusalTimeout: Duration = .seconds(2)
    /// The most bytes of incoming bodies and unread answers in memory, for all clients together. If it is reached, a request
    /// gets 503 at once (Contract §3.7).
    public var heldBytes = 256 << 20
    /// The most of them for the answers to the reads of one account; if it is reached, its next read gets 503.
    public var heldBytesPerAccount = 64 << 20
    /// The delay before a refused client is told to retry.
    public var retryAfter: Duration = .seconds(5)
    /// The time without a hint after which a watch gets a comment line (Contract §10), so that both sides know that the connection
    /// works.
    public var heartbeat: Duration = .seconds(15)
    /// How long ``HTTPListener/stop()`` waits for the answers in progress.
    public var grace: Duration = .seconds(5)
    /// The size from which a body is sent compressed, in bytes.
    public var packedFrom = 1_024

    /// The certificate and key for TLS; nil for plain HTTP: behind a proxy that terminates TLS, or for this machine only.
    public var identity: ServerIdentity?

    /// Settings for an address; the other values suit a small server.
    public init(address: String = "127.0.0.1", port: UInt16 = 0, clientTimeout: Duration = .seconds(30)) {
        self.address = address
        self.port = port
        self.clientTimeout = clientTimeout
    }
}

/// The identity of a server for TLS.
public struct ServerIdentity: Sendable, Hashable {
    /// The certificate, followed by its chain, in PEM.
    public var certificate: String
    /// The private key of the certificate, in PEM.
    public var key: String

    /// An identity from the texts of its two files.
    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

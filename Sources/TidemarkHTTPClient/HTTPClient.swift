/// HTTP for authors of remotes: one server at a URL, any method, by `URLSession` on Apple's systems, and by libcurl
/// elsewhere.
///
/// It does not know about syncing. It sends a request once, and returns the whole answer, or throws the reason why there is
/// none:
///
/// ```swift
/// let client = try HTTPClient(url: "https://kinto.example/v1", auth: .basic("me", "secret"))
/// let answer = try await client.send(
///     HTTPRequest("PUT", "/records/42", fields: [("If-None-Match", "*")], body: body))
/// switch answer.meaning {
/// case .done, .unchanged: return
/// case .refused where answer.status == 412: print("someone else was faster: \(answer.field("ETag") ?? "")")
/// case .unauthorized, .portal, .moved, .busy, .unsupported, .refused, .unknown: print("not now: \(answer.status)")
/// }
/// ```
///
/// - **Credentials** (``HTTPAuth``) are sent to this one origin only. No redirect is followed: it is the answer. A
///   link in an answer (``HTTPRequest/init(link:fields:)``) is followed within the origin only.
/// - **There is no cache, and no cookie is stored.**
/// - **An answer is complete, or it is a failure**: one that is cut off, lacks the end of its gzip, or is larger than
///   ``Limits/answerSize`` is a ``HTTPFailure``. Bodies are decompressed. On Apple's systems `URLSession` decompresses, and
///   decides about a gzip without its end.
/// - **Nothing is sent again**, except in two cases in which the server did nothing: after a 401 with a token that could be
///   renewed, and after a 415 with a compressed body. If the server has closed a kept connection meanwhile, the transport
///   repeats a GET; any other request fails as ``HTTPFailure/Kind/brokenOff``. `URLSession` itself may repeat a PUT or a
///   DELETE; the answer to the second one is discarded, and the request fails in the same way.
///
/// It is a value; copies, and the ones with other credentials, share their connections.
public struct HTTPClient: Sendable {
    /// Timeouts and size limits.
    public let limits: Limits

    private let address: HTTPAddress
    private let auth: HTTPAuth.Form
    private let session: HTTPSession
    private let trusted: TrustedCertificates?
    private let pinned: PinnedKeys?

    /// Makes a client from a URL that the user typed.
    ///
    /// - Parameters:
    ///   - url: The URL that every target is appended to: `https://…/v1`.
    ///   - auth: The credentials.
    ///   - limits: Times and sizes.
    ///   - certificates: PEM with the certificates that sign the server's, as of a private authority. They replace those of the
    ///     system; nil for those of the system.
    ///   - pinnedKeys: The public keys of which the certificate of the server must have one, each as SHA-256 in Base64, `sha256//…`;
    ///     nil for any. At most 16, and the URL has to start with `https://`.
    /// - Throws: ``HTTPFailure/Kind/unsendable`` if the URL, the certificates or the keys are invalid, and
    ///   ``HTTPFailure/Kind/noCredentials`` if the credentials can't be sent, with the reason.
    public init(
        url: String, auth: HTTPAuth = .none, limits: Limits = Limits(), certificates: [UInt8]? = nil,
        pinnedKeys: [String]? = nil
    ) throws(HTTPFailure) {
        try self.init(
            url: url, auth: auth, limits: limits, certificates: certificates, pinnedKeys: pinnedKeys,
            setup: SessionSetup())
    }

    /// Makes a client with an app's settings of the system's networking.
    package init(
        url: String, auth: HTTPAuth, limits: Limits, certificates: [UInt8]?, pinnedKeys: [String]?, setup: SessionSetup
    ) throws(HTTPFailure) {
        self.address = try HTTPAddress(url)
        self.auth = try Self.checked(auth)
        self.limits = limits
        self.trusted = try Self.trusted(certificates)
        self.pinned = try Self.pinned(pinnedKeys, self.address)
        self.session = HTTPSession(limits, self.trusted, self.pinned, setup)
    }

    private init(_ other: HTTPClient, auth: HTTPAuth.Form) {
        self.limits = other.limits
        self.address = other.address
        self.session = other.session
        self.trusted = other.trusted
        self.pinned = other.pinned
        self.auth = auth
    }

    /// The URL that every target is appended to, without a slash at its end.
    public var url: String { self.address.base }

    /// The same server with other credentials, over the same connections.
    ///
    /// - Throws: ``HTTPFailure/Kind/noCredentials`` when they can't be sent.
    public func with(auth: HTTPAuth) throws(HTTPFailure) -> HTTPClient {
        HTTPClient(self, auth: try Self.checked(auth))
    }

    /// Sends a request, and receives the whole answer, whatever its status. Cancelling the task ends it at once.
    public func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPAnswer {
        try await self.send(request, nil)
    }

    private func send(
        _ request: HTTPRequest, _ stream: AnswerStream?
    ) async throws(HTTPFailure) -> HTTPAnswer {
        let url = try self.address.url(of: request)
        try request.check()
        guard case .renewing(let source) = self.auth else {
            return try await self.send(request, to: url, as: self.fixedCredentials, stream)
        }
        let token = try await source.token(insteadOf: nil)
        let answer = try await self.send(request, to: url, as: try TokenSource.field(for: token), stream)
        guard answer.status == 401 else {
            // A proxy answers with 5xx before the server has seen the token.
            if answer.status < 500 { source.accept(token) }
            return answer
        }
        // The server did nothing with it (RFC 9110 §15.5.2).
        let renewed = try await source.token(insteadOf: token)
        guard renewed != token else { return answer }
        let second = try await self.send(request, to: url, as: try TokenSource.field(for: renewed), stream)
        if second.status != 401, second.status < 500 { source.accept(renewed) }
        return second
    }

    /// Sends a request whose answer may last indefinitely, such as server-sent events, and passes its body on piece by piece.
    ///
    /// ```swift
    /// let client = try HTTPClient(url: "https://example.org")
    /// let request = HTTPRequest("GET", "/changes", fields: [("Accept", "text/event-stream")])
    /// let answer = try await client.stream(
    ///     request, where: { $0.status == 200 && $0.mediaType == "text/event-stream" },
    ///     take: { piece in piece.count < 1_000_000 })
    /// ```
    ///
    /// ``Limits/silence`` ends it; ``Limits/whole`` and ``Limits/answerSize`` do not while pieces are passed on. The answer is
    /// requested uncompressed. Cancelling the task ends it at once; a piece that was being received may still be passed on.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isStream: Gets the answer without its body when the body begins; if it returns false, the answer is received as in
    ///     ``send(_:)``.
    ///   - take: Gets each piece, on any thread, one after the other; return false to end the answer. It must not block: with
    ///     `URLSession` all requests of the client wait for it.
    /// - Returns: The answer at its end, without the pieces that were passed on.
    public func stream(
        _ request: HTTPRequest, where isStream: @escaping @Sendable (HTTPAnswer) -> Bool,
        take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(HTTPFailure) -> HTTPAnswer {
        try await self.send(request, AnswerStream(isStream: isStream, take: take))
    }

    private func send(
        _ request: HTTPRequest, to url: String, as credentials: String?, _ stream: AnswerStream?
    ) async throws(HTTPFailure) -> HTTPAnswer {
        var fields = request.fields
        if let credentials {
            fields.append((name: "Authorization", value: credentials))
        }
        return try await self.session.send(
            HTTPCall(
                method: request.method, url: url, fields: fields, body: request.sentBody, stream: stream,
                base: self.address.base, limits: self.limits, trusted: self.trusted, pinned: self.pinned))
    }

    private var fixedCredentials: String? {
        if case .fixed(let field) = self.auth { field } else { nil }
    }

    private static func trusted(_ certificates: [UInt8]?) throws(HTTPFailure) -> TrustedCertificates? {
        guard let certificates else { return nil }
        return try TrustedCertificates(pem: certificates)
    }

    private static func pinned(_ keys: [String]?, _ address: HTTPAddress) throws(HTTPFailure) -> PinnedKeys? {
        guard let keys else { return nil }
        let pinned = try PinnedKeys(keys)
        guard address.isSecure else {
            throw HTTPFailure(
                .unsendable,
                "A connection to \(address.base) has no key that could be pinned. Use a URL that starts with https://, or pin none."
            )
        }
        return pinned
    }

    private static func checked(_ auth: HTTPAuth) throws(HTTPFailure) -> HTTPAuth.Form {
        if case .wrong(let failure) = auth.form { throw failure }
        return auth.form
    }
}

/// HTTP for authors of remotes: one server behind a URL, any method, by `URLSession` on Apple's systems, and by libcurl
/// elsewhere.
///
/// It knows nothing of syncing. It sends a request once, and brings back the whole answer, or why there is none:
///
/// ```swift
/// let carrier = try HTTPCarrier(url: "https://kinto.example/v1", auth: .basic("me", "secret"))
/// let answer = try await carrier.send(
///     CarrierRequest("PUT", "/records/42", fields: [("If-None-Match", "*")], body: body))
/// switch answer.meaning {
/// case .done, .unchanged: return
/// case .refused where answer.status == 412: print("someone else was faster: \(answer.field("ETag") ?? "")")
/// case .unauthorised, .portal, .moved, .busy, .unsupported, .refused, .unknown: print("not now: \(answer.status)")
/// }
/// ```
///
/// - **Credentials** (``HTTPAuth``) go to this one origin and nowhere else. No redirect is followed: it is the answer. A
///   link that an answer brought (``CarrierRequest/init(link:fields:)``) is followed within the origin only.
/// - **Nothing is taken from a cache, and no cookie is kept.**
/// - **An answer is whole, or it is none**: one that breaks off, lacks the end of its gzip, or is larger than
///   ``Limits/answerSize`` is a ``CarrierFailure``. Bodies arrive unpacked.
/// - **Nothing is sent again**, but for two cases in which the server did nothing: after a 401 with a token that could be
///   renewed, and after a 415 with a packed body. A GET on a kept connection that the server had closed meanwhile is
///   repeated by the transport; anything else is ``CarrierFailure/Kind/brokenOff`` then (with `URLSession`, a POST).
///
/// It is a value; copies, and the ones with other credentials, share their connections.
public struct HTTPCarrier: Sendable {
    /// How patient and how hungry it is.
    public let limits: Limits

    private let address: CarrierAddress
    private let auth: HTTPAuth.Form
    private let session: HTTPSession

    /// Makes a carrier from what a person typed.
    ///
    /// - Parameters:
    ///   - url: What every target is appended to: `https://…/v1`.
    ///   - auth: How it says who asks.
    ///   - limits: Times and sizes.
    /// - Throws: ``CarrierFailure/Kind/unsendable`` when the URL can't be right, and ``CarrierFailure/Kind/noCredentials``
    ///   when the credentials can't be sent, with what is wrong.
    public init(url: String, auth: HTTPAuth = .none, limits: Limits = Limits()) throws(CarrierFailure) {
        self.address = try CarrierAddress(url)
        self.auth = try Self.checked(auth)
        self.limits = limits
        self.session = HTTPSession(limits)
    }

    private init(_ other: HTTPCarrier, auth: HTTPAuth.Form) {
        self.limits = other.limits
        self.address = other.address
        self.session = other.session
        self.auth = auth
    }

    /// The URL that every target is appended to, without a slash at its end.
    public var url: String { self.address.base }

    /// The same server with other credentials, over the same connections.
    ///
    /// - Throws: ``CarrierFailure/Kind/noCredentials`` when they can't be sent.
    public func with(auth: HTTPAuth) throws(CarrierFailure) -> HTTPCarrier {
        HTTPCarrier(self, auth: try Self.checked(auth))
    }

    /// Sends a request, and receives the whole answer, whatever its status. A cancelled task ends it at once.
    public func send(_ request: CarrierRequest) async throws(CarrierFailure) -> CarrierAnswer {
        try await self.send(request, nil)
    }

    private func send(
        _ request: CarrierRequest, _ stream: AnswerStream?
    ) async throws(CarrierFailure) -> CarrierAnswer {
        let url = try self.address.url(of: request)
        try request.check()
        guard case .renewing(let source) = self.auth else {
            return try await self.send(request, to: url, as: self.fixedCredentials, stream)
        }
        let token = try await source.token(insteadOf: nil)
        let answer = try await self.send(request, to: url, as: try TokenSource.field(for: token), stream)
        guard answer.status == 401 else { return answer }
        // The server took nothing of it (RFC 9110 §15.5.2).
        let renewed = try await source.token(insteadOf: token)
        guard renewed != token else { return answer }
        return try await self.send(request, to: url, as: try TokenSource.field(for: renewed), stream)
    }

    /// Sends a request whose answer may go on for as long as both sides like, such as server-sent events, and hands over its body
    /// piece by piece.
    ///
    /// ```swift
    /// let carrier = try HTTPCarrier(url: "https://example.org")
    /// let request = CarrierRequest("GET", "/changes", fields: [("Accept", "text/event-stream")])
    /// let answer = try await carrier.stream(
    ///     request, where: { $0.status == 200 && $0.mediaType == "text/event-stream" },
    ///     take: { piece in piece.count < 1_000_000 })
    /// ```
    ///
    /// ``Limits/silence`` ends it, and neither ``Limits/whole`` nor ``Limits/answerSize`` does, while pieces are handed over. It is
    /// asked for unpacked. A cancelled task ends it at once; a piece that was on its way may still be handed over.
    ///
    /// - Parameters:
    ///   - request: What is asked.
    ///   - isStream: Gets the answer without its body when that begins; where it returns false, the answer is received as
    ///     ``send(_:)`` does.
    ///   - take: Gets each piece, on some thread, one after the other; false ends the answer.
    /// - Returns: The answer at its end, without what was handed over.
    public func stream(
        _ request: CarrierRequest, where isStream: @escaping @Sendable (CarrierAnswer) -> Bool,
        take: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(CarrierFailure) -> CarrierAnswer {
        try await self.send(request, AnswerStream(isStream: isStream, take: take))
    }

    private func send(
        _ request: CarrierRequest, to url: String, as credentials: String?, _ stream: AnswerStream?
    ) async throws(CarrierFailure) -> CarrierAnswer {
        var fields = request.fields
        if let credentials {
            fields.append((name: "Authorization", value: credentials))
        }
        return try await self.session.send(
            HTTPCall(
                method: request.method, url: url, fields: fields, body: request.sentBody, stream: stream,
                base: self.address.base,
                limits: self.limits))
    }

    private var fixedCredentials: String? {
        if case .fixed(let field) = self.auth { field } else { nil }
    }

    private static func checked(_ auth: HTTPAuth) throws(CarrierFailure) -> HTTPAuth.Form {
        if case .wrong(let failure) = auth.form { throw failure }
        return auth.form
    }
}

public import TidemarkHTTPClient
public import TidemarkCore
import TidemarkMachine
public import TidemarkRules
import TidemarkWire

/// A server behind a URL: the wire of Contract §5, carried by `TidemarkHTTPClient`.
///
/// ```swift
/// let remote = try HTTPRemote(url: "https://notes.example/v1", token: token)
/// let client = try SyncClient(store: .sqlite(at: path), remote: remote)
/// ```
///
/// The token is sent to this one origin only: no redirect is followed. There is no cache, and no
/// cookie is stored. It is a value; copies, and the ones with another token, share their connections.
public struct HTTPRemote: Remote {
    /// Timeouts and size limits.
    public let options: Options

    private let client: Result<HTTPClient, TidemarkError>

    /// Makes a remote from a URL that the user typed.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL`, `invalidToken`, `invalidCertificates`, `invalidPinnedKeys` or
    ///   `invalidHeader`, whose message names the error and the remedy.
    public init(url: String, token: String? = nil, options: Options = Options()) throws(TidemarkError) {
        try self.init(url: url, auth: Self.auth(token), options: options)
    }

    /// Makes a remote with other credentials: a token that is renewed when it is rejected, or a name and a password.
    ///
    /// ```swift
    /// let remote = try HTTPRemote(
    ///     url: "https://notes.example/v1",
    ///     auth: .renewing(token) { spent in try await office.newToken(after: spent) })
    /// ```
    ///
    /// A sync continues automatically with the new token. If no new token can be obtained it pauses, as after a 401, until
    /// `SyncClient.resume()` or `SyncClient.renew(remote:)`.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL`, `invalidToken`, `invalidCertificates`, `invalidPinnedKeys` or
    ///   `invalidHeader`, whose message names the error and the remedy.
    public init(url: String, auth: HTTPAuth, options: Options = Options()) throws(TidemarkError) {
        self.options = options
        self.client = .success(try Self.client(url, auth: auth, options))
    }

    private init(_ client: HTTPClient, options: Options) {
        self.options = options
        self.client = .success(client)
    }

    /// Makes a remote whose every exchange fails if its URL or token is invalid.
    init(late url: String, token: String?, options: Options) {
        self.options = options
        do throws(TidemarkError) {
            self.client = .success(try Self.client(url, auth: Self.auth(token), options))
        } catch {
            self.client = .failure(error)
        }
    }

    /// The same server with another token, for `SyncClient.renew(remote:)`.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`.
    public func with(token: String?) throws(TidemarkError) -> HTTPRemote {
        let client = try self.client.get()
        do throws(HTTPFailure) {
            return HTTPRemote(try client.with(auth: Self.auth(token)), options: self.options)
        } catch {
            throw TidemarkError(error)
        }
    }

    private static func auth(_ token: String?) -> HTTPAuth {
        token.map { .bearer($0) } ?? .none
    }

    private static func client(
        _ url: String, auth: HTTPAuth, _ options: Options
    ) throws(TidemarkError) -> HTTPClient {
        try options.check()
        do throws(HTTPFailure) {
            return try HTTPClient(
                url: url, auth: auth, limits: options.limits, certificates: options.certificates,
                pinnedKeys: options.pinnedKeys, setup: options.setup)
        } catch {
            throw TidemarkError(error)
        }
    }

    /// Every rule of the wire is kept: a server of the level “full” has all the properties.
    ///
    /// The level that a server declares is not read. For one of the level “minimal” wrap the remote, and declare the missing parts.
    public var capabilities: RemoteCapabilities { .native }

    /// Carries out one exchange. Cancelling the task ends it at once, with the class `cancelled`; whether a POST arrived is
    /// then unknown.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let client = try self.usableClient
        let fields = try await self.options.fieldsOfRequest()
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try await client.send(HTTPRequest(WireRequest(request), fields))
        } catch {
            throw RemoteFailure(error)
        }
        return try WireAnswer.decode(
            status: answer.status, header: { answer.field($0) }, body: answer.body, request: request, base: client.url)
    }

    /// Listens to the server's change notifications, as server-sent events (Contract §10). Any other answer, whatever its status or
    /// type, means that the server has none.
    public func hints(
        for collections: [String], onHint: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> RemoteHint.End {
        let reader = HintReader(onHint)
        let isStream = { @Sendable (answer: HTTPAnswer) in
            WireHints.isStream(status: answer.status) { answer.field($0) }
        }
        let client = try self.usableClient
        let fields = try await self.options.fieldsOfRequest()
        let answer: HTTPAnswer
        do throws(HTTPFailure) {
            answer = try await client.stream(
                HTTPRequest("GET", WireHints.target(for: collections), fields: WireHints.headers + fields),
                where: isStream, take: { reader.take($0) })
        } catch {
            throw RemoteFailure(error)
        }
        guard !isStream(answer) else { return reader.end }
        return try WireHints.end(status: answer.status, header: { answer.field($0) }, body: answer.body)
    }

    private var usableClient: HTTPClient {
        get throws(RemoteFailure) {
            do throws(TidemarkError) {
                return try self.client.get()
            } catch {
                throw RemoteFailure(.invalidAnswer, error.message)
            }
        }
    }
}

extension HTTPRequest {
    /// Converts an exchange to an HTTP request.
    fileprivate init(_ wire: WireRequest, _ fields: [(name: String, value: String)]) {
        self.init(wire.method, wire.target, fields: wire.headers + fields, body: wire.body)
    }
}

extension Remote where Self == HTTPRemote {
    /// A server at a URL that the user typed; see ``HTTPRemote``.
    ///
    /// - Throws: `TidemarkError` as ``HTTPRemote/init(url:token:options:)``.
    public static func http(
        _ url: String, token: String? = nil, options: HTTPRemote.Options = HTTPRemote.Options()
    ) throws(TidemarkError) -> HTTPRemote {
        try HTTPRemote(url: url, token: token, options: options)
    }

    /// A server at a URL that the user typed, with any credentials; see ``HTTPRemote/init(url:auth:options:)``.
    ///
    /// - Throws: `TidemarkError` as that initializer.
    public static func http(
        _ url: String, auth: HTTPAuth, options: HTTPRemote.Options = HTTPRemote.Options()
    ) throws(TidemarkError) -> HTTPRemote {
        try HTTPRemote(url: url, auth: auth, options: options)
    }
}

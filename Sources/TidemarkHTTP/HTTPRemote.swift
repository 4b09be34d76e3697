public import Foundation
public import TidemarkCore
internal import TidemarkMachine

/// A server behind a URL: the wire of SPEC §5 by `URLSession` on Apple's systems, and by libcurl elsewhere.
///
/// ```swift
/// let remote = try HTTPRemote(url: "https://notes.example/v1", token: token)
/// let client = try SyncClient(store: .sqlite(at: path), remote: remote)
/// ```
///
/// The token goes to this one origin and nowhere else: no redirect is followed. Nothing is taken from a cache, and no
/// cookie is kept. It is a value; copies, and the ones with another token, share their connections.
public struct HTTPRemote: Remote {
    /// How patient and how hungry it is.
    public let options: Options

    private let server: Result<ServerAddress, TidemarkError>
    private let session: HTTPSession

    /// Makes a remote.
    ///
    /// A URL or token that can't be right is told by every exchange, as the class `protocol`; ``init(url:token:options:)``
    /// with a string tells it at once.
    ///
    /// - Parameters:
    ///   - url: Where the collections are: `https://…/v1`.
    ///   - token: What is sent as `Authorization: Bearer …`; nil for a server that is open to all.
    ///   - options: Times and limits.
    public init(_ url: URL, token: String? = nil, options: Options = Options()) {
        self.options = options
        self.session = HTTPSession(options)
        do throws(TidemarkError) {
            self.server = .success(try ServerAddress(url.absoluteString, token: token))
        } catch {
            self.server = .failure(error)
        }
    }

    /// Makes a remote from what a person typed.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`, with what is wrong and what to do.
    public init(url: String, token: String? = nil, options: Options = Options()) throws(TidemarkError) {
        self.options = options
        self.server = .success(try ServerAddress(url, token: token))
        self.session = HTTPSession(options)
    }

    private init(_ server: Result<ServerAddress, TidemarkError>, _ other: HTTPRemote) {
        self.options = other.options
        self.session = other.session
        self.server = server
    }

    /// The same server with another token, for `SyncClient.renew(remote:)`.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`.
    public func with(token: String?) throws(TidemarkError) -> HTTPRemote {
        HTTPRemote(.success(try self.server.get().with(token: token)), self)
    }

    /// Carries out one exchange. A cancelled task ends it at once, with the class `cancelled`; whether a POST arrived is
    /// unknown then.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let server: ServerAddress
        do throws(TidemarkError) {
            server = try self.server.get()
        } catch {
            throw RemoteFailure(.protocol, error.message)
        }
        let reply = try await self.session.send(WireRequest(request), to: server)
        return try WireAnswer.decode(
            status: reply.status, header: { reply.header($0) }, body: reply.body, request: request,
            base: server.base)
    }
}

extension Remote where Self == HTTPRemote {
    /// A server behind a URL; see ``HTTPRemote``.
    public static func http(_ url: URL, token: String? = nil) -> HTTPRemote {
        HTTPRemote(url, token: token)
    }

    /// A server behind what a person typed; see ``HTTPRemote``.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`.
    public static func http(_ url: String, token: String? = nil) throws(TidemarkError) -> HTTPRemote {
        try HTTPRemote(url: url, token: token)
    }
}

public import TidemarkCarrier
public import TidemarkCore
import TidemarkMachine
public import TidemarkRules
import TidemarkWire

/// A server behind a URL: the wire of SPEC §5, carried by `TidemarkCarrier`.
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

    private let carrier: Result<HTTPCarrier, TidemarkError>

    /// Makes a remote from what a person typed.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`, with what is wrong and what to do.
    public init(url: String, token: String? = nil, options: Options = Options()) throws(TidemarkError) {
        try self.init(url: url, auth: Self.auth(token), options: options)
    }

    /// Makes a remote with credentials of another kind: a token that is renewed when it is spent, or a name and a password.
    ///
    /// ```swift
    /// let remote = try HTTPRemote(
    ///     url: "https://notes.example/v1",
    ///     auth: .renewing(token) { spent in try await office.newToken(after: spent) })
    /// ```
    ///
    /// A sync goes on by itself with the new token. Where none can be got it pauses, as after a 401, until
    /// `SyncClient.resume()` or `SyncClient.renew(remote:)`.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`, with what is wrong and what to do.
    public init(url: String, auth: HTTPAuth, options: Options = Options()) throws(TidemarkError) {
        self.options = options
        self.carrier = .success(try Self.carrier(url, auth: auth, options))
    }

    private init(_ carrier: HTTPCarrier, options: Options) {
        self.options = options
        self.carrier = .success(carrier)
    }

    /// A remote that tells by every exchange what is wrong with its URL or token.
    init(late url: String, token: String?, options: Options) {
        self.options = options
        do throws(TidemarkError) {
            self.carrier = .success(try Self.carrier(url, auth: Self.auth(token), options))
        } catch {
            self.carrier = .failure(error)
        }
    }

    /// The same server with another token, for `SyncClient.renew(remote:)`.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`.
    public func with(token: String?) throws(TidemarkError) -> HTTPRemote {
        let carrier = try self.carrier.get()
        do throws(CarrierFailure) {
            return HTTPRemote(try carrier.with(auth: Self.auth(token)), options: self.options)
        } catch {
            throw TidemarkError(error)
        }
    }

    private static func auth(_ token: String?) -> HTTPAuth {
        token.map { .bearer($0) } ?? .none
    }

    private static func carrier(
        _ url: String, auth: HTTPAuth, _ options: Options
    ) throws(TidemarkError) -> HTTPCarrier {
        do throws(CarrierFailure) {
            return try HTTPCarrier(url: url, auth: auth, limits: options.limits)
        } catch {
            throw TidemarkError(error)
        }
    }

    /// Carries out one exchange. A cancelled task ends it at once, with the class `cancelled`; whether a POST arrived is
    /// unknown then.
    public func exchange(_ request: ExchangeRequest) async throws(RemoteFailure) -> ExchangeAnswer {
        let carrier = try self.usableCarrier
        let answer: CarrierAnswer
        do throws(CarrierFailure) {
            answer = try await carrier.send(CarrierRequest(WireRequest(request)))
        } catch {
            throw RemoteFailure(error)
        }
        return try WireAnswer.decode(
            status: answer.status, header: { answer.field($0) }, body: answer.body, request: request, base: carrier.url)
    }

    /// Listens to the server's hints, as server-sent events (SPEC §10). Another answer than events, whatever its status or type,
    /// means that nobody hints there.
    public func hints(
        for collections: [String], hear: @escaping @Sendable (RemoteHint) -> Void
    ) async throws(RemoteFailure) -> HintsEnd {
        let reader = HintReader(hear)
        let isStream = { @Sendable (answer: CarrierAnswer) in
            WireHints.isStream(status: answer.status) { answer.field($0) }
        }
        let carrier = try self.usableCarrier
        let answer: CarrierAnswer
        do throws(CarrierFailure) {
            answer = try await carrier.stream(
                CarrierRequest("GET", WireHints.target(for: collections), fields: WireHints.headers),
                where: isStream, take: { reader.take($0) })
        } catch {
            throw RemoteFailure(error)
        }
        guard !isStream(answer) else { return reader.end }
        return try WireHints.end(status: answer.status, header: { answer.field($0) }, body: answer.body)
    }

    private var usableCarrier: HTTPCarrier {
        get throws(RemoteFailure) {
            do throws(TidemarkError) {
                return try self.carrier.get()
            } catch {
                throw RemoteFailure(.protocol, error.message)
            }
        }
    }
}

extension CarrierRequest {
    /// An exchange as HTTP carries it.
    fileprivate init(_ wire: WireRequest) {
        self.init(wire.method, wire.target, fields: wire.headers, body: wire.body)
    }
}

extension Remote where Self == HTTPRemote {
    /// A server behind what a person typed; see ``HTTPRemote``.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`.
    public static func http(_ url: String, token: String? = nil) throws(TidemarkError) -> HTTPRemote {
        try HTTPRemote(url: url, token: token)
    }

    /// A server behind what a person typed, with credentials of any kind; see ``HTTPRemote/init(url:auth:options:)``.
    ///
    /// - Throws: `TidemarkError` with code `invalidURL` or `invalidToken`.
    public static func http(_ url: String, auth: HTTPAuth) throws(TidemarkError) -> HTTPRemote {
        try HTTPRemote(url: url, auth: auth)
    }
}

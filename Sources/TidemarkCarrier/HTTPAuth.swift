import TidemarkHTTPFields

/// How a carrier says who asks: nothing, a name and a password, a token, or a token that is renewed when it is spent.
///
/// ```swift
/// let kinto = try HTTPCarrier(url: "https://kinto.example/v1", auth: .basic("me", "secret"))
/// let notes = try HTTPCarrier(url: "https://notes.example/v1", auth: .bearer(token))
/// ```
///
/// It is sent to the carrier's own origin and nowhere else, since neither a redirect nor a link to another one is followed.
public struct HTTPAuth: Sendable {
    enum Form: Sendable {
        case none
        case fixed(String)
        case renewing(TokenSource)

        /// The credentials can't be sent, and why; told when a carrier is made with them.
        case wrong(CarrierFailure)
    }

    let form: Form

    /// No credentials: a server that is open to all.
    public static let none = HTTPAuth(form: .none)

    /// A name and a password (RFC 7617), as UTF-8.
    ///
    /// A name with a colon or a control character can't be sent: the carrier that is made with it throws.
    public static func basic(_ name: String, _ password: String) -> HTTPAuth {
        let isPlain = "\(name)\(password)".utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isPlain, !name.utf8.contains(UInt8(ascii: ":")) else {
            return HTTPAuth(
                form: .wrong(
                    CarrierFailure(
                        .noCredentials,
                        "The name has a colon in it, or name or password a control character; neither can be sent.")))
        }
        return HTTPAuth(form: .fixed("Basic \(Base64.text(of: "\(name):\(password)".utf8))"))
    }

    /// A token (RFC 6750): letters, digits and `-._~+/`, with `=` at the end. The carrier that is made with another throws.
    public static func bearer(_ token: String) -> HTTPAuth {
        do throws(CarrierFailure) {
            return HTTPAuth(form: .fixed(try TokenSource.field(for: token)))
        } catch {
            return HTTPAuth(form: .wrong(error))
        }
    }

    /// A token that is renewed when the server does not know it any more.
    ///
    /// ```swift
    /// let auth = HTTPAuth.renewing(token) { spent in
    ///     try await office.newToken(after: spent)
    /// }
    /// ```
    ///
    /// - After an answer 401 the closure is asked once, and the request is sent a second time; what comes then is the answer,
    ///   401 or not. Requests that are refused meanwhile wait for the same new token, and one that was cancelled leaves it to
    ///   the others.
    /// - When the closure throws, the request fails as ``CarrierFailure/Kind/noCredentials``; with a ``CarrierFailure`` it
    ///   throws that one, so that a way to the tokens that is down is no wrong password. A sync pauses at the first
    ///   and waits at the second; once the person has signed in, `SyncClient.resume()` lets it go on, and the closure is
    ///   asked again.
    /// - The new token must be the same person's. For another person's data make another carrier, and hand the remote over with
    ///   `SyncClient.renew(remote:)`, which looks whose account it is before anything is sent.
    ///
    /// Copies of it, and carriers that share it, share the token.
    ///
    /// - Parameters:
    ///   - token: The token to begin with; nil to ask for one before the first request.
    ///   - renew: Gets a new one; it is handed the token that was refused, or nil where there was none.
    public static func renewing(
        _ token: String?, _ renew: @escaping @Sendable (_ spent: String?) async throws -> String
    ) -> HTTPAuth {
        HTTPAuth(form: .renewing(TokenSource(token, renew: renew)))
    }
}

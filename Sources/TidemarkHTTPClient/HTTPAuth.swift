import TidemarkHTTPFields

/// The credentials of a client: none, a name and a password, a token, or a token that is renewed when it is rejected.
///
/// ```swift
/// let kinto = try HTTPClient(url: "https://kinto.example/v1", auth: .basic("me", "secret"))
/// let notes = try HTTPClient(url: "https://notes.example/v1", auth: .bearer(token))
/// ```
///
/// They are sent to the client's own origin only, since neither a redirect nor a link to another one is followed.
public struct HTTPAuth: Sendable {
    enum Form: Sendable {
        case none
        case fixed(String)
        case renewing(TokenSource)

        /// The credentials can't be sent, with the reason; thrown when a client is made with them.
        case wrong(HTTPFailure)
    }

    let form: Form

    /// No credentials: a server without access control.
    public static let none = HTTPAuth(form: .none)

    /// A name and a password (RFC 7617), as UTF-8.
    ///
    /// A name with a colon or a control character can't be sent: a client that is made with it throws.
    public static func basic(_ name: String, _ password: String) -> HTTPAuth {
        let isPlain = "\(name)\(password)".utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        guard isPlain, !name.utf8.contains(UInt8(ascii: ":")) else {
            return HTTPAuth(
                form: .wrong(
                    HTTPFailure(
                        .noCredentials,
                        "The name contains a colon, or name or password a control character; neither can be sent.")))
        }
        return HTTPAuth(form: .fixed("Basic \(Base64.text(of: "\(name):\(password)".utf8))"))
    }

    /// A token (RFC 6750): letters, digits and `-._~+/`, with `=` at the end. A client that is made with another one throws.
    public static func bearer(_ token: String) -> HTTPAuth {
        do throws(HTTPFailure) {
            return HTTPAuth(form: .fixed(try TokenSource.field(for: token)))
        } catch {
            return HTTPAuth(form: .wrong(error))
        }
    }

    /// A token that is renewed when the server rejects it.
    ///
    /// ```swift
    /// let auth = HTTPAuth.renewing(token) { spent in
    ///     try await office.newToken(after: spent)
    /// }
    /// ```
    ///
    /// - After an answer 401 the closure is called once, and the request is sent a second time; the second answer counts,
    ///   401 or not. Requests that are rejected meanwhile wait for the same new token, and cancelling one of them does not
    ///   affect the others.
    /// - If the server rejects the new token, too, the closure is not called again for 10 seconds: requests that are rejected
    ///   meanwhile return the answer 401. So one wrong account calls it once, however many collections a client syncs.
    /// - If the closure throws, the request fails as ``HTTPFailure/Kind/noCredentials``; if it throws a ``HTTPFailure``,
    ///   the request throws that one, so that an unreachable token server does not count as a wrong password. A sync pauses
    ///   after the first and waits after the second; after the user has signed in, `SyncClient.resume()` continues, and the
    ///   closure is called again.
    /// - The new token must be the same user's. For another user open another `SyncClient` over another store file.
    ///
    /// Copies of it, and clients that use it, share the token.
    ///
    /// - Parameters:
    ///   - token: The first token; nil to call `renew` before the first request.
    ///   - renew: Returns a new token; its argument is the rejected token, or nil if there was none.
    public static func renewing(
        _ token: String?, _ renew: @escaping @Sendable (_ spent: String?) async throws -> String
    ) -> HTTPAuth {
        HTTPAuth(form: .renewing(TokenSource(token, renew: renew)))
    }
}

/// A request whose token and route were checked, before it waits for a transaction that it shares with others.
package struct AuthorizedRequest: Sendable {
    /// The request.
    package private(set) var request: ServerRequest
    let account: String
    let route: ServerRoute
    /// The ``TokenMemory/generation`` before the token was looked up.
    let generation: UInt64

    /// The same request with its body unpacked; the body may not exceed `ServerLimits.body`.
    package func unpacked(_ body: [UInt8]) -> AuthorizedRequest {
        var copy = self
        copy.request.body = body
        return copy
    }
}

/// The result of the check of a request's token and route.
package enum Authorization: Sendable {
    /// The request has access.
    case authorized(AuthorizedRequest)
    /// The answer to a request that has none, or no route.
    case refused(ServerResponse)
}

extension ServerCore {
    /// Checks the token and the route of a request. It may query the storage, and so it must not run on a thread that other
    /// requests wait for.
    package func authorize(_ request: ServerRequest) -> Authorization {
        let generation = self.tokenMemory.generation
        do throws(ServerRefusal) {
            let (account, route) = try self.route(of: request)
            return .authorized(
                AuthorizedRequest(request: request, account: account, route: route, generation: generation))
        } catch {
            return .refused(error.response)
        }
    }

    /// The same at once; nil if the storage has to be queried.
    package func authorizeAtOnce(_ request: ServerRequest) -> Authorization? {
        let generation = self.tokenMemory.generation
        do throws(ServerRefusal) {
            guard let account = try self.cachedAccount(of: request) else { return nil }
            let route = try self.checkedRoute(of: request)
            return .authorized(
                AuthorizedRequest(request: request, account: account, route: route, generation: generation))
        } catch {
            return .refused(error.response)
        }
    }

    /// The account of a request. Its token is looked up again if accounts or tokens have changed meanwhile, so that no request
    /// is carried out whose token was revoked before its transaction.
    func currentAccount(of authorized: AuthorizedRequest) throws(ServerRefusal) -> String {
        guard self.tokenMemory.generation != authorized.generation else { return authorized.account }
        return try self.account(of: authorized.request)
    }
}

/// A request whose token and route were checked, before it waits for a transaction that it shares with others.
package struct AuthorizedRequest: Sendable {
    /// The request.
    package private(set) var request: ServerRequest
    let account: String
    let route: ServerRoute
    /// The ``TokenMemory/generation`` before the token was looked up.
    let generation: UInt64
    /// The time of the check.
    let time: Int64

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
        let (generation, time) = (self.tokenMemory.generation, self.now())
        do throws(ServerRefusal) {
            let (account, route) = try self.route(of: request)
            return .authorized(
                AuthorizedRequest(
                    request: request, account: account, route: route, generation: generation, time: time))
        } catch {
            return .refused(error.response)
        }
    }

    /// The same at once; nil if the storage has to be queried.
    package func authorizeAtOnce(_ request: ServerRequest) -> Authorization? {
        let (generation, time) = (self.tokenMemory.generation, self.now())
        do throws(ServerRefusal) {
            guard let account = try self.cachedAccount(of: request) else { return nil }
            let route = try self.checkedRoute(of: request)
            return .authorized(
                AuthorizedRequest(
                    request: request, account: account, route: route, generation: generation, time: time))
        } catch {
            return .refused(error.response)
        }
    }

    /// The account of a request. Its token is looked up again if accounts or tokens have changed meanwhile, or if it has waited for
    /// longer than a look-up is cached: its token may have expired, or another process may have revoked it.
    func currentAccount(of authorized: AuthorizedRequest) throws(ServerRefusal) -> String {
        let isCurrent = self.tokenMemory.generation == authorized.generation
        guard !isCurrent || !self.tokenMemory.isFresh(authorized.time, self.now()) else { return authorized.account }
        return try self.account(of: authorized.request)
    }
}

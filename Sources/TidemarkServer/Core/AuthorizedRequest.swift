/// A request whose token and route were checked, before it waits for a transaction that it shares with others.
package struct AuthorizedRequest: Sendable {
    package private(set) var request: ServerRequest
    let route: ServerRoute

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
        do throws(ServerRefusal) {
            return .authorized(AuthorizedRequest(request: request, route: try self.route(of: request).route))
        } catch {
            return .refused(error.response)
        }
    }

    /// The same at once; nil if the storage has to be queried.
    package func authorizeAtOnce(_ request: ServerRequest) -> Authorization? {
        do throws(ServerRefusal) {
            guard try self.cachedAccount(of: request) != nil else { return nil }
            return .authorized(AuthorizedRequest(request: request, route: try self.checkedRoute(of: request)))
        } catch {
            return .refused(error.response)
        }
    }
}

extension ServerCore {
    /// Answers several requests: their POSTs share durable transactions, in the given order.
    ///
    /// Each POST is decided as ``handle(_:)`` would, and answered once its transaction is on disk. If the answers grow larger
    /// than ``ServerLimits/groupBytes``, another transaction begins. A POST that is refused, or at which the storage fails,
    /// does not affect the others; a commit that fails is answered with 500 or 503 to all POSTs in it.
    ///
    /// - Parameters:
    ///   - requests: The requests, in their order; one that is not a POST is answered as ``handle(_:)`` does.
    ///   - answer: Gets the answer to each request, with its index: in the order of the POSTs, and at once for a request that
    ///     needs no transaction.
    public func handle(_ requests: [ServerRequest], answer: (Int, ServerResponse) -> Void) {
        var indices: [Int] = []
        var authorized: [AuthorizedRequest] = []
        for (index, request) in requests.enumerated() {
            guard request.method == "POST" else {
                answer(index, self.handle(request))
                continue
            }
            switch self.authorize(request) {
            case .refused(let response):
                answer(index, response)
            case .authorized(let request):
                authorized.append(request)
                indices.append(index)
            }
        }
        self.handle(authorized) { answer(indices[$0], $1) }
    }

    /// Answers several POSTs whose tokens were looked up: nothing in their way to the transaction waits for the storage, unless
    /// accounts or tokens have changed meanwhile.
    ///
    /// - Parameters:
    ///   - requests: The POSTs, in their order.
    ///   - answer: Gets the answer to each request, with its index.
    package func handle(_ requests: [AuthorizedRequest], answer: (Int, ServerResponse) -> Void) {
        var indices: [Int] = []
        var posts: [Post] = []
        for (index, request) in requests.enumerated() {
            var account: String?
            do throws(ServerRefusal) {
                guard let post = try self.post(in: request, of: &account) else {
                    answer(index, self.handle(request.request))
                    continue
                }
                posts.append(post)
                indices.append(index)
            } catch {
                var response = error.response
                response.account = account
                answer(index, response)
            }
        }
        var rest = posts[...]
        while !rest.isEmpty {
            for outcome in self.commit(rest) {
                var response = self.response(to: outcome)
                response.account = rest[rest.startIndex].account
                answer(indices[rest.startIndex], response)
                rest.removeFirst()
            }
        }
    }

    /// The POST in a request; nil if it is not a POST.
    ///
    /// The look-up of its token is cached by now, unless accounts or tokens have changed meanwhile, or the request has waited for
    /// longer than that: the token may have been revoked, or have expired.
    ///
    /// - Parameter name: Set to the account as soon as it is known.
    private func post(in authorized: AuthorizedRequest, of name: inout String?) throws(ServerRefusal) -> Post? {
        let account = try self.account(of: authorized.request)
        name = account
        guard case .post(let collection) = authorized.route else { return nil }
        try self.admit(account)
        return try Post(to: collection, account: account, request: authorized.request, limits: self.limits)
    }
}

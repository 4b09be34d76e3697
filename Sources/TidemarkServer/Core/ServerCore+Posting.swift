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
        var posts: [Post] = []
        for (index, request) in requests.enumerated() {
            var account: String?
            do throws(ServerRefusal) {
                guard let post = try self.post(in: request, of: &account) else {
                    answer(index, self.handle(request))
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
    /// - Parameter name: Set to the account as soon as it is known.
    private func post(in request: ServerRequest, of name: inout String?) throws(ServerRefusal) -> Post? {
        guard request.method == "POST" else { return nil }
        let (account, route) = try self.route(of: request)
        name = account
        guard case .post(let collection) = route else { return nil }
        try self.admit(account)
        return try Post(to: collection, account: account, request: request, limits: self.limits)
    }
}

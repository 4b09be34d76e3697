extension ServerCore {
    /// Answers requests that came in together: their POSTs share durable transactions, in the order in which they are here.
    ///
    /// Each POST is decided as ``handle(_:)`` would, and answered once the transaction that holds it is on disk. Where their
    /// answers grow larger than ``ServerLimits/groupBytes`` another transaction is begun. One that is refused, or at which the
    /// storage fails, leaves the others as they are; a commit that fails is answered with 500 to all that it held.
    ///
    /// - Parameters:
    ///   - requests: Whatever came in, in its order; what is no POST is answered as ``handle(_:)`` does.
    ///   - answer: Hears the answer to each, with its index; in the order of the POSTs, and at once for what needs no
    ///     transaction.
    public func handle(_ requests: [ServerRequest], answer: (Int, ServerResponse) -> Void) {
        var indices: [Int] = []
        var posts: [Post] = []
        for (index, request) in requests.enumerated() {
            do throws(ServerRefusal) {
                guard let post = try self.post(in: request) else {
                    answer(index, self.handle(request))
                    continue
                }
                posts.append(post)
                indices.append(index)
            } catch {
                answer(index, error.response)
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

    /// The POST that a request is; nil where it is none.
    private func post(in request: ServerRequest) throws(ServerRefusal) -> Post? {
        guard request.method == "POST" else { return nil }
        let (account, route) = try self.route(of: request)
        guard case .post(let collection) = route else { return nil }
        try self.admit(account)
        return try Post(to: collection, account: account, request: request, limits: self.limits)
    }
}

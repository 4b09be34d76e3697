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

    /// The POST that a request is; nil where it is none.
    ///
    /// - Parameter name: Whose it is, as soon as that is known.
    private func post(in request: ServerRequest, of name: inout String?) throws(ServerRefusal) -> Post? {
        guard request.method == "POST" else { return nil }
        let (account, route) = try self.route(of: request)
        name = account
        guard case .post(let collection) = route else { return nil }
        try self.admit(account)
        return try Post(to: collection, account: account, request: request, limits: self.limits)
    }
}

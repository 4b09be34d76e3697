import Synchronization

// What machines ask that look after a server: whether it lives, whether to send it requests, how much it does. No token is
// needed; a proxy that is open to the world passes on /v1 alone.

extension ServerCore {
    /// The answer to `GET /healthz`, `/readyz` or `/metrics`; nil for any other request.
    func operate(_ request: ServerRequest) -> ServerResponse? {
        if let response = self.answerAtOnce(request) { return response }
        guard ["GET", "HEAD"].contains(request.method), request.path == "/readyz" else { return nil }
        return self.readiness()
    }

    /// The answer to a request that needs nothing of the storage, `GET /healthz` or `/metrics`; nil for any other: where the
    /// storage hangs, a server that lives still says so.
    public func answerAtOnce(_ request: ServerRequest) -> ServerResponse? {
        guard ["GET", "HEAD"].contains(request.method) else { return nil }
        switch request.path {
        case "/healthz": return .plain(200, "it lives\n")
        case "/metrics":
            var response = ServerResponse.plain(200, "")
            response.headers[0].1 = "text/plain; version=0.0.4; charset=utf-8"
            response.body = self.metrics.text([
                ("tidemark_open_watches", "Clients that wait for hints.", self.openWatches),
                ("tidemark_is_draining", "1 once the server is about to stop.", self.isDraining ? 1 : 0),
            ])
            return response
        case _: return nil
        }
    }

    /// Whether requests should be sent here: the storage answers, and nobody stops the server.
    private func readiness() -> ServerResponse {
        guard !self.isDraining else { return .plain(503, "it is about to stop\n") }
        do throws(ServerRefusal) {
            _ = try self.withReader { (reader) throws(ServerStorageError) in
                try reader.snapshot { () throws(ServerStorageError) in try reader.keepsAccounts() }
            }
            return .plain(200, "it answers\n")
        } catch {
            return .plain(503, "its storage fails\n")
        }
    }

    /// Whether the server is about to stop: `/readyz` says 503 then, so that nobody is sent here any more, and all else goes on.
    public var isDraining: Bool { self.draining.load(ordering: .relaxed) }

    /// The server is about to stop.
    public func drain() { self.draining.store(true, ordering: .relaxed) }
}

extension ServerResponse {
    fileprivate static func plain(_ status: Int, _ text: String) -> ServerResponse {
        ServerResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(text.utf8))
    }
}

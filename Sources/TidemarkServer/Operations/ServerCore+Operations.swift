import Synchronization

// Requests of monitoring tools and load balancers: liveness, readiness and metrics. They need no token; a public proxy should
// forward /v1 only.

extension ServerCore {
    /// The answer to `GET /healthz`, `/readyz` or `/metrics`; nil for any other request.
    func operate(_ request: ServerRequest) -> ServerResponse? {
        if let response = self.answerAtOnce(request) { return response }
        guard ["GET", "HEAD"].contains(request.method), request.path == "/readyz" else { return nil }
        return self.readiness()
    }

    /// The answer to a request that does not use the storage, `GET /healthz` or `/metrics`; nil for any other request. So the
    /// server reports that it is alive even if the storage hangs.
    public func answerAtOnce(_ request: ServerRequest) -> ServerResponse? {
        guard ["GET", "HEAD"].contains(request.method) else { return nil }
        switch request.path {
        case "/healthz": return .plain(200, "alive\n")
        case "/metrics":
            var response = ServerResponse.plain(200, "")
            response.headers[0].1 = "text/plain; version=0.0.4; charset=utf-8"
            response.body = self.metrics.text([
                ("tidemark_open_watches", "Clients that wait for change notifications.", self.openWatches),
                ("tidemark_is_draining", "1 once the server is about to stop.", self.isDraining ? 1 : 0),
            ])
            return response
        case _: return nil
        }
    }

    /// Whether this server should get requests: the storage answers, the last write succeeded or a probe does now, and the
    /// server is not about to stop.
    private func readiness() -> ServerResponse {
        guard !self.isDraining else { return .plain(503, "it is about to stop\n") }
        do throws(ServerRefusal) {
            _ = try self.withReader { (reader) throws(ServerStorageError) in
                try reader.snapshot { () throws(ServerStorageError) in try reader.keepsAccounts() }
            }
        } catch {
            return .plain(503, "its storage fails\n")
        }
        guard let reason = self.reasonAgainstWrites() else { return .plain(200, "it answers\n") }
        return .plain(503, "its storage can't be written: \(reason)\n")
    }

    /// Why writes fail; nil if the last one succeeded, or if a probe does now: without POSTs the server must notice, too, that
    /// the disk has room again.
    private func reasonAgainstWrites() -> String? {
        guard self.writeFailure.withLock({ $0 }) != nil else { return nil }
        let probe = self.withStorage { (storage) throws(ServerStorageError) in try storage.probeWrite() }
        switch probe {
        case .success:
            self.writeFailure.withLock { $0 = nil }
            return nil
        case .failure(let error):
            // The message can name files; the code is enough for an alarm.
            return error.code == .full ? "the disk is full" : error.code.name
        }
    }

    /// Whether the server is about to stop: then `/readyz` answers 503, so that a load balancer sends no more requests here;
    /// all other requests are still answered.
    public var isDraining: Bool { self.draining.load(ordering: .relaxed) }

    /// Marks the server as about to stop.
    public func drain() { self.draining.store(true, ordering: .relaxed) }
}

extension ServerResponse {
    fileprivate static func plain(_ status: Int, _ text: String) -> ServerResponse {
        ServerResponse(
            status: status, headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array(text.utf8))
    }
}

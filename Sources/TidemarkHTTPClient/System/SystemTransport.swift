#if canImport(Darwin)
    import Foundation

    /// HTTP by the system's `URLSession`, without cache, cookies or stored passwords.
    final class SystemTransport: Sendable {
        private let session: URLSession
        private let receiver: HTTPReceiver

        init(_ limits: HTTPClient.Limits) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCredentialStorage = nil
            configuration.timeoutIntervalForRequest = limits.silence / .seconds(1)
            let receiver = HTTPReceiver()
            self.receiver = receiver
            self.session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        }

        deinit {
            // A session keeps itself and its delegate alive until it is invalidated.
            self.session.finishTasksAndInvalidate()
        }

        /// Sends a request and receives the whole answer.
        func receive(_ call: HTTPCall) async throws(HTTPFailure) -> HTTPAnswer {
            guard let url = URL(string: call.url) else { throw .notURL(call.url) }
            var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
            request.timeoutInterval = call.limits.silence / .seconds(1)
            request.httpMethod = call.method
            request.httpBody = call.body.map { Data($0) }
            for (name, value) in call.fields {
                request.addValue(value, forHTTPHeaderField: name)
            }
            return try await self.receiver.receive(self.session.dataTask(with: request), for: call)
        }
    }
#endif

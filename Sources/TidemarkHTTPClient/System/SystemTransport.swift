#if canImport(Darwin)
    import Foundation
    import TidemarkHTTPFields

    /// HTTP by the system's `URLSession`, without cache, cookies or stored passwords.
    final class SystemTransport: Sendable {
        private let session: URLSession
        /// For answers that may last indefinitely.
        private let streams: URLSession
        private let receiver: HTTPReceiver

        init(
            _ limits: HTTPClient.Limits, _ trusted: TrustedCertificates?, _ pinned: PinnedKeys?, _ setup: SessionSetup
        ) {
            let configuration = URLSessionConfiguration.ephemeral
            setup.configure?(configuration)
            // The client depends on all that follows, so it is set last.
            configuration.httpAdditionalHeaders = nil
            configuration.waitsForConnectivity = false
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCredentialStorage = nil
            configuration.timeoutIntervalForRequest = limits.silence / .seconds(1)
            let receiver = HTTPReceiver(trusted, pinned)
            self.receiver = receiver
            self.streams = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
            // A slow upload, or a head that drips, is not silence. The session copies its configuration.
            configuration.timeoutIntervalForResource = limits.whole / .seconds(1)
            self.session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        }

        deinit {
            // A session keeps itself and its delegate alive until it is invalidated.
            self.session.finishTasksAndInvalidate()
            self.streams.finishTasksAndInvalidate()
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
            if call.stream != nil {
                // A proxy that compresses holds notifications back until its buffer is full.
                request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
            }
            if call.body != nil, !call.fields.contains(where: { HTTPFieldName.isSame($0.name, "Content-Type") }) {
                // Without one, URLSession declares a form.
                request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
            }
            let session = call.stream == nil ? self.session : self.streams
            return try await self.receiver.receive(session.dataTask(with: request), for: call)
        }
    }
#endif

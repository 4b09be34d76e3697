#if canImport(Darwin)
    internal import Foundation
    internal import TidemarkCore
    internal import TidemarkMachine

    /// HTTP by the system's `URLSession`, without cache, cookies or stored passwords.
    final class SystemTransport: Sendable {
        private let session: URLSession
        private let receiver: HTTPReceiver

        init(_ options: HTTPRemote.Options) {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCredentialStorage = nil
            configuration.timeoutIntervalForRequest = options.silence / .seconds(1)
            let receiver = HTTPReceiver()
            self.receiver = receiver
            self.session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        }

        deinit {
            // A session keeps itself and its delegate alive until it is told that it is not needed any more.
            self.session.finishTasksAndInvalidate()
        }

        /// Sends a request and receives the whole answer.
        func receive(_ call: HTTPCall) async throws(RemoteFailure) -> ReceivedReply {
            guard let url = URL(string: call.url) else { throw .notURL(call.url) }
            var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
            request.timeoutInterval = call.options.silence / .seconds(1)
            request.httpMethod = call.body == nil ? "GET" : "POST"
            request.httpBody = call.body.map { Data($0) }
            for (name, value) in call.headers {
                request.setValue(value, forHTTPHeaderField: name)
            }
            return try await self.receiver.receive(
                self.session.dataTask(with: request), base: call.base, options: call.options)
        }
    }
#endif

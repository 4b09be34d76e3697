#if canImport(Darwin)
    public import Foundation

    extension HTTPClient {
        /// Makes a client whose `URLSession` has settings of an app.
        ///
        /// ```swift
        /// #if canImport(Darwin)
        ///     let client = try HTTPClient(url: "https://kinto.example/v1") { $0.allowsCellularAccess = false }
        /// #endif
        /// ```
        ///
        /// - Parameters:
        ///   - url: As ``init(url:auth:limits:certificates:pinnedKeys:)``, like all others.
        ///   - configure: Gets the configuration of each session before it is made. The client then sets the properties that it depends
        ///     on: no cache, no cookies, no stored passwords, no additional headers, no wait for a connection, and the timeouts of
        ///     ``limits``.
        /// - Throws: As that initializer.
        public init(
            url: String, auth: HTTPAuth = .none, limits: Limits = Limits(), certificates: [UInt8]? = nil,
            pinnedKeys: [String]? = nil, configure: @escaping @Sendable (URLSessionConfiguration) -> Void
        ) throws(HTTPFailure) {
            var setup = SessionSetup()
            setup.configure = configure
            try self.init(
                url: url, auth: auth, limits: limits, certificates: certificates, pinnedKeys: pinnedKeys, setup: setup)
        }
    }
#endif

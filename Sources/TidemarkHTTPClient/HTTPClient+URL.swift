#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension HTTPClient {
        /// Makes a client.
        ///
        /// - Throws: As ``init(url:auth:limits:)`` with a string.
        public init(_ url: URL, auth: HTTPAuth = .none, limits: Limits = Limits()) throws(HTTPFailure) {
            try self.init(url: url.absoluteString, auth: auth, limits: limits)
        }
    }
#endif

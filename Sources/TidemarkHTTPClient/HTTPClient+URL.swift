#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif

    extension HTTPClient {
        /// Makes a client.
        ///
        /// - Throws: As ``init(url:auth:limits:certificates:pinnedKeys:)`` with a string.
        public init(
            _ url: URL, auth: HTTPAuth = .none, limits: Limits = Limits(), certificates: [UInt8]? = nil,
            pinnedKeys: [String]? = nil
        ) throws(HTTPFailure) {
            try self.init(
                url: url.absoluteString, auth: auth, limits: limits, certificates: certificates, pinnedKeys: pinnedKeys)
        }
    }
#endif

#if FoundationTypes
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
    public import TidemarkCore

    extension HTTPRemote {
        /// Makes a remote.
        ///
        /// An invalid URL or token makes every exchange fail, with the class `invalidAnswer`; ``init(url:token:options:)`` with
        /// a string throws at once.
        ///
        /// - Parameters:
        ///   - url: The URL of the collections: `https://…/v1`.
        ///   - token: The token in `Authorization: Bearer …`; nil for a server without access control.
        ///   - options: Times, limits, trusted certificates and header fields.
        public init(_ url: URL, token: String? = nil, options: Options = Options()) {
            self.init(late: url.absoluteString, token: token, options: options)
        }
    }

    extension Remote where Self == HTTPRemote {
        /// A server behind a URL; see ``HTTPRemote``.
        public static func http(
            _ url: URL, token: String? = nil, options: HTTPRemote.Options = HTTPRemote.Options()
        ) -> HTTPRemote {
            HTTPRemote(url, token: token, options: options)
        }
    }
#endif

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
        /// A URL or token that can't be right is told by every exchange, as the class `protocol`; ``init(url:token:options:)``
        /// with a string tells it at once.
        ///
        /// - Parameters:
        ///   - url: Where the collections are: `https://…/v1`.
        ///   - token: What is sent as `Authorization: Bearer …`; nil for a server that is open to all.
        ///   - options: Times and limits.
        public init(_ url: URL, token: String? = nil, options: Options = Options()) {
            self.init(late: url.absoluteString, token: token, options: options)
        }
    }

    extension Remote where Self == HTTPRemote {
        /// A server behind a URL; see ``HTTPRemote``.
        public static func http(_ url: URL, token: String? = nil) -> HTTPRemote {
            HTTPRemote(url, token: token)
        }
    }
#endif

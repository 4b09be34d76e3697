extension HTTPAnswer {
    /// The meaning of an answer, as far as HTTP alone defines it.
    public enum Meaning: Hashable, Sendable, CaseIterable {
        /// 2xx, and not a web page: the server did the request.
        case done

        /// 304: the state that the condition named is current.
        case unchanged

        /// 401, 407: the credentials are rejected. A token that can be renewed was renewed already.
        case unauthorized

        /// 511, a web page instead of an answer, or a redirect to another origin: the network requires a sign-in, or the URL is
        /// wrong. This is no evidence about the token.
        case portal

        /// Another redirect: the URL is not that of the server.
        case moved

        /// 408, 425, 429, and 5xx: try again later (``HTTPAnswer/retryAfter``). Whether the request was carried out is
        /// unknown.
        case busy

        /// 501, 505: the server does not support the request.
        case unsupported

        /// Any other 4xx: the request was judged, and not carried out. The status is the reason: 404, 409, 410, 412, 422.
        case refused

        /// A status that HTTP does not have.
        case unknown
    }

    /// The meaning of the answer, as far as HTTP alone defines it.
    public var meaning: Meaning {
        switch self.status {
        case 200...299: self.isWebPage ? .portal : .done
        case 304: .unchanged
        case 300...399: self.leavesOrigin ? .portal : .moved
        case 401, 407: .unauthorized
        case 408, 425, 429: .busy
        case 400...499: .refused
        case 501, 505: .unsupported
        case 511: .portal
        case 500...599: .busy
        default: .unknown
        }
    }
}

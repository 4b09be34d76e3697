extension CarrierAnswer {
    /// What an answer says, as far as HTTP alone can tell.
    public enum Meaning: Hashable, Sendable, CaseIterable {
        /// 2xx, and no web page: the server did what it was asked.
        case done

        /// 304: what the condition named is what there is.
        case unchanged

        /// 401, 407: who asks is not known, or not any more. A token that can be renewed was renewed already.
        case unauthorised

        /// 511, a web page in the place of an answer, or a redirect to another origin: the network wants a sign-in, or the
        /// URL is wrong. It says nothing about the token.
        case portal

        /// Another redirect: the URL is not where the server is.
        case moved

        /// 408, 425, 429, and 5xx: try again later (``CarrierAnswer/retryAfter``). Whether the request was carried out is
        /// unknown.
        case busy

        /// 501, 505: the server will never do it.
        case unsupported

        /// Any other 4xx: what was sent was judged, and not done. The status says why: 404, 409, 410, 412, 422.
        case refused

        /// A status that HTTP does not have.
        case unknown
    }

    /// What the answer says, as far as HTTP alone can tell.
    public var meaning: Meaning {
        switch self.status {
        case 200...299: self.isWebPage ? .portal : .done
        case 304: .unchanged
        case 300...399: self.leavesOrigin ? .portal : .moved
        case 401, 407: .unauthorised
        case 408, 425, 429: .busy
        case 400...499: .refused
        case 501, 505: .unsupported
        case 511: .portal
        case 500...599: .busy
        default: .unknown
        }
    }
}

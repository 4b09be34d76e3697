#if !canImport(Darwin)
    import CCurl
    import TidemarkHTTPFields

    extension HTTPFailure {
        /// Converts a failure of libcurl.
        ///
        /// - Parameter detail: libcurl's message.
        init(_ code: CURLcode, detail: String, call: HTTPCall) {
            let base = call.base
            switch code {
            case CURLE_URL_MALFORMAT: self = .notURL(call.url)
            case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: self = .notHTTP(base)
            case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost(base)
            case CURLE_COULDNT_CONNECT: self = .notConnected(call, detail)
            case CURLE_OPERATION_TIMEDOUT: self = .silent(base, call.limits.silence)
            case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .noProxy(base, detail)
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR: self = .notTrusted(call, detail)
            case CURLE_SSL_CACERT_BADFILE where call.trusted != nil: self = .unusableCertificates(base, detail)
            case CURLE_NOT_BUILT_IN where call.trusted != nil, CURLE_UNKNOWN_OPTION where call.trusted != nil:
                self = .unusableCertificates(base, "libcurl can't be given any; 7.77 or newer with OpenSSL can")
            case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .notPinned(base)
            case CURLE_NOT_BUILT_IN where call.pinned != nil, CURLE_UNKNOWN_OPTION where call.pinned != nil:
                self = .unusablePins(base, detail)
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
                self = .notSafe(base, detail)
            case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: self = .brokenOff(base)
            default: self = .brokenOff(base, detail)
            }
        }

        /// libcurl reports a failed connection to a proxy and to a server alike, and names the host it tried.
        private static func notConnected(_ call: HTTPCall, _ detail: String) -> HTTPFailure {
            guard let url = URLParts(call.url), let authority = url.authority else { return .refused(call.base) }
            let port = authority.port.flatMap { Int($0) } ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
            let name = authority.host.filter { !"[]".contains($0) }
            let server = "to \(name) port \(port)".lowercased()
            let words = detail.lowercased()
            let isNamed = self.says("to ", words) && self.says(" port ", words)
            return isNamed && !self.says(server, words) ? .noProxy(call.base, detail) : .refused(call.base)
        }

        /// Whether libcurl's message contains some words. The search of the standard library would bring regular expressions
        /// into every app.
        private static func says(_ words: String, _ detail: String) -> Bool {
            detail.utf8.indices.contains { detail.utf8[$0...].starts(with: words.utf8) }
        }
    }
#endif

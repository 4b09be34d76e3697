#if canImport(Darwin)
    import Foundation

    extension HTTPFailure {
        /// Converts a failure of the system's networking.
        init(_ error: any Error, call: HTTPCall) {
            let base = call.base
            guard let error = error as? URLError else {
                self = .brokenOff(base, error.localizedDescription)
                return
            }
            switch error.code {
            case .unsupportedURL, .badURL, .cannotParseResponse: self = .notHTTP(base)
            case .cannotConnectToHost: self = .refused(base)
            case .cannotFindHost, .dnsLookupFailed: self = .unknownHost(base)
            case .cancelled: self = .cancelled
            case .timedOut: self = .silent(base, call.limits.silence)
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
                self.init(.unreachable, "Could not connect to \(base): there is no network.")
            case .appTransportSecurityRequiresSecureConnection:
                self.init(.unreachable, "Could not connect to \(base): this system allows https:// only.")
            case .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateNotYetValid:
                self = .notTrusted(call, Self.detail(error))
            case .secureConnectionFailed, .clientCertificateRejected, .clientCertificateRequired:
                self = .notSafe(base, Self.detail(error))
            default: self = .brokenOff(base, Self.detail(error))
            }
        }

        private static func detail(_ error: URLError) -> String {
            let text = error.localizedDescription.utf8.split(separator: UInt8(ascii: " "))
                .map { Substring($0) }.joined(separator: " ")
            return text.utf8.last == UInt8(ascii: ".") ? String(text.dropLast()) : text
        }
    }
#endif

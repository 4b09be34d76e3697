internal import Foundation
internal import TidemarkCore
internal import TidemarkMachine

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

// What the network can do to an exchange, as a class and a sentence for a person.

extension RemoteFailure {
    static let cancelled = RemoteFailure(.offline, "The exchange was cancelled.")

    static func refused(_ base: String) -> RemoteFailure {
        RemoteFailure(
            .offline,
            "Could not connect to \(base): nothing answers there. Is the server running, and is the port right?")
    }

    static func unknownHost(_ base: String) -> RemoteFailure {
        RemoteFailure(
            .offline, "Could not connect to \(base): no such host is known. Check its name, and the network.")
    }

    static func silent(_ base: String, _ silence: Duration) -> RemoteFailure {
        RemoteFailure(
            .offline, "\(base) said nothing for \(silence). It may be overloaded, or the network is very slow.")
    }

    static func tooSlow(_ base: String, _ time: Duration) -> RemoteFailure {
        RemoteFailure(.offline, "The answer of \(base) was not complete after \(time). It is asked for again later.")
    }

    static func brokenOff(_ base: String, _ detail: String? = nil) -> RemoteFailure {
        let detail = detail.map { " (\($0))" } ?? ""
        return RemoteFailure(
            .offline,
            "The connection to \(base) broke off before the whole answer had come\(detail). It is tried again later.")
    }

    static func notHTTP(_ base: String) -> RemoteFailure {
        RemoteFailure(.protocol, "What answers at \(base) does not speak HTTP. Check the URL, the port above all.")
    }

    static func tooLarge(_ base: String, _ limit: Int) -> RemoteFailure {
        RemoteFailure(
            .protocol,
            "The answer of \(base) is larger than \(limit) bytes. Ask for smaller pages, or raise the limit.")
    }
}

extension RemoteFailure {
    /// What the system's networking says.
    init(_ error: any Error, base: String, silence: Duration) {
        guard let error = error as? URLError else {
            self = .brokenOff(base, error.localizedDescription)
            return
        }
        switch error.code {
        case .unsupportedURL, .badURL, .cannotParseResponse: self = .notHTTP(base)
        case .cannotConnectToHost: self = .refused(base)
        case .cannotFindHost, .dnsLookupFailed: self = .unknownHost(base)
        case .timedOut: self = .silent(base, silence)
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            self.init(.offline, "Could not connect to \(base): there is no network.")
        case .appTransportSecurityRequiresSecureConnection:
            self.init(.offline, "Could not connect to \(base): this system allows https:// only.")
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            self = .notSafe(error, base: base)
        // On Linux a failed handshake has no code of its own.
        case _ where Self.detail(error).contains("SSL"): self = .notSafe(error, base: base)
        default: self = .brokenOff(base, Self.detail(error))
        }
    }

    private static func notSafe(_ error: URLError, base: String) -> RemoteFailure {
        RemoteFailure(
            .offline,
            """
            The connection to \(base) is not safe, and nothing was sent: \(Self.detail(error)). Check whether the URL \
            should start with http:// or https://, and the certificate of the server.
            """)
    }

    private static func detail(_ error: URLError) -> String {
        let text = error.localizedDescription.split(separator: " ").joined(separator: " ")
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

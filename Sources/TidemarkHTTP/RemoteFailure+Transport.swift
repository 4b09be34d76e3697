internal import Foundation
internal import TidemarkCore
internal import TidemarkMachine

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension RemoteFailure {
    /// What the system's networking says, as a class and a sentence for a person.
    init(_ error: any Error, base: String, silence: Duration) {
        guard let error = error as? URLError else {
            self.init(.offline, "The connection to \(base) failed: \(error.localizedDescription)")
            return
        }
        switch error.code {
        case .unsupportedURL, .badURL, .cannotParseResponse:
            self.init(.protocol, "What answers at \(base) does not speak HTTP. Check the URL, the port above all.")
        default:
            self.init(.offline, Self.sentence(error, base: base, silence: silence))
        }
    }

    private static func sentence(_ error: URLError, base: String, silence: Duration) -> String {
        switch error.code {
        case .cannotConnectToHost:
            "Could not connect to \(base): nothing answers there. Is the server running, and is the port right?"
        case .cannotFindHost, .dnsLookupFailed:
            "Could not connect to \(base): no such host is known. Check its name, and the network."
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            "Could not connect to \(base): there is no network."
        case .timedOut:
            "\(base) said nothing for \(silence). It may be overloaded, or the network is very slow."
        case .appTransportSecurityRequiresSecureConnection:
            "Could not connect to \(base): this system allows https:// only."
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
            .clientCertificateRequired:
            Self.unsafe(error, base: base)
        // On Linux a failed handshake has no code of its own.
        case _ where Self.detail(error).contains("SSL"):
            Self.unsafe(error, base: base)
        default:
            """
            The connection to \(base) broke off before the whole answer had come: \(Self.detail(error)). Whatever was \
            sent is sent again.
            """
        }
    }

    private static func unsafe(_ error: URLError, base: String) -> String {
        """
        The connection to \(base) is not safe, and nothing was sent: \(Self.detail(error)). Check whether the URL should \
        start with http:// or https://, and the certificate of the server.
        """
    }

    private static func detail(_ error: URLError) -> String {
        let text = error.localizedDescription.split(separator: " ").joined(separator: " ")
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

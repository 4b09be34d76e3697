import TidemarkHTTPClient
import TidemarkRules

extension HTTPRemote {
    /// Timeouts, size limits, trusted certificates and additional header fields of a remote.
    public struct Options: Hashable, Sendable {
        /// The idle timeout of the connection.
        public var silence: Duration

        /// The timeout of one exchange, for an answer that keeps coming, but slowly.
        public var exchange: Duration

        /// The maximum size of an answer in bytes, uncompressed; more is neither received nor held. A page has to fit into it, with
        /// its results.
        public var answerLimit: Int

        /// The minimum size in bytes of a body that is sent as gzip; nil to compress none.
        public var packedFrom: Int?

        /// The certificates that sign the server's, in PEM, if a private authority signed it: the certificate of the authority,
        /// or the server's own. They replace those of the system; nil for those of the system.
        ///
        /// ```swift
        /// var options = HTTPRemote.Options()
        /// options.certificates = [UInt8](try Data(contentsOf: URL(filePath: "/etc/office/ca.pem")))
        /// let remote = try HTTPRemote(url: "https://notes.internal/v1", token: token, options: options)
        /// ```
        ///
        /// They are checked when a remote is made with them.
        public var certificates: [UInt8]?

        /// Header fields that each request has in addition to those of the protocol, by name: an API key that a gateway wants, or
        /// the name of a tenant.
        ///
        /// ```swift
        /// var options = HTTPRemote.Options()
        /// options.headers["X-Api-Key"] = "k-1234"
        /// let remote: HTTPRemote = try .http("https://notes.example/v1", token: token, options: options)
        /// ```
        ///
        /// They are sent to the origin of the remote only, and checked when a remote is made with them: a field that the protocol
        /// sets, such as `Authorization` or `Content-Type`, a name that differs from another in case only, a line end, or more
        /// than 4 KiB are refused.
        public var headers: [String: String]

        /// Makes options; the defaults suit a phone.
        public init(
            silence: Duration = .seconds(60), exchange: Duration = .seconds(600), answerLimit: Int = 128 << 20,
            packedFrom: Int? = 1024, certificates: [UInt8]? = nil, headers: [String: String] = [:]
        ) {
            self.silence = silence
            self.exchange = exchange
            self.answerLimit = answerLimit
            self.packedFrom = packedFrom
            self.certificates = certificates
            self.headers = headers
        }
    }
}

extension HTTPRemote.Options {
    /// The additional header fields of each request, in the order of their names.
    package var fields: [(name: String, value: String)] {
        self.headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// Checks what no remote can be made with.
    func check() throws(TidemarkError) {
        do throws(HTTPFailure) {
            try AdditionalFields.check(self.fields, reserving: ["Accept", "Content-Type", "Tidemark-Wire"])
        } catch {
            throw TidemarkError(.invalidHeader, error.message)
        }
        do throws(HTTPFailure) {
            if let certificates = self.certificates { _ = try TrustedCertificates(pem: certificates) }
        } catch {
            throw TidemarkError(.invalidCertificates, error.message)
        }
    }

    var limits: HTTPClient.Limits {
        HTTPClient.Limits(
            silence: self.silence, whole: self.exchange, answerSize: self.answerLimit, packedFrom: self.packedFrom)
    }
}

import TidemarkHTTPClient
import TidemarkRules

extension HTTPRemote {
    /// Timeouts, size limits and trusted certificates of a remote.
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

        /// Makes options; the defaults suit a phone.
        public init(
            silence: Duration = .seconds(60), exchange: Duration = .seconds(600), answerLimit: Int = 128 << 20,
            packedFrom: Int? = 1024, certificates: [UInt8]? = nil
        ) {
            self.silence = silence
            self.exchange = exchange
            self.answerLimit = answerLimit
            self.packedFrom = packedFrom
            self.certificates = certificates
        }
    }
}

extension HTTPRemote.Options {
    /// Checks what a remote can't be made with.
    func check() throws(TidemarkError) {
        guard let certificates = self.certificates else { return }
        do throws(HTTPFailure) {
            _ = try TrustedCertificates(pem: certificates)
        } catch {
            throw TidemarkError(.invalidCertificates, error.message)
        }
    }

    /// These options as limits of the client.
    var limits: HTTPClient.Limits {
        HTTPClient.Limits(
            silence: self.silence, whole: self.exchange, answerSize: self.answerLimit, packedFrom: self.packedFrom)
    }
}

#if canImport(Darwin)
    public import Foundation
#endif
import TidemarkCore
import TidemarkHTTPClient
import TidemarkMachine
import TidemarkRules

extension HTTPRemote {
    /// Timeouts, size limits, trusted certificates, pinned keys and additional header fields of a remote.
    public struct Options: Sendable {
        /// The maximum number of ``headers`` and ``requestHeaders`` together: 64.
        public static let headerCount = AdditionalFields.countLimit

        /// The maximum size of their names and values, in bytes: 4 KiB.
        public static let headerSize = AdditionalFields.sizeLimit

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

        /// The maximum number of ``pinnedKeys``: 16.
        public static let pinnedKeyCount = PinnedKeys.countLimit

        /// The public keys of which the certificate of the server must have one; nil for any. No other server gets a request then, also
        /// one with a certificate that is trusted.
        ///
        /// ```swift
        /// var options = HTTPRemote.Options()
        /// options.pinnedKeys = [
        ///     "sha256//YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=", // the key of the server
        ///     "sha256//Vjs8r4z+80wjNcr1YKepWQboSIRi63WsWXhIMN+eWys=", // the next one, kept off the server
        /// ]
        /// let remote = try HTTPRemote(url: "https://notes.example/v1", token: token, options: options)
        /// ```
        ///
        /// A key is the SHA-256 of the SubjectPublicKeyInfo (RFC 7469 §2.4) of the server's own certificate, not of an authority, in
        /// Base64, also with `sha256/` or without a prefix. At most ``pinnedKeyCount``. The certificate has to be trusted besides:
        /// by the system, or by ``certificates``. They are checked when a remote is made with them, and the URL has to start with
        /// `https://`.
        ///
        /// > Warning: An app whose server gets a key that is not pinned can't sync until it is updated. Pin the next key of the server
        /// > before it is needed.
        public var pinnedKeys: [String]?

        #if canImport(Darwin)
            /// Changes the configuration of the `URLSession`s of the remote before they are made; nil for no changes. Only on Apple's
            /// systems.
            ///
            /// ```swift
            /// #if canImport(Darwin)
            ///     var options = HTTPRemote.Options()
            ///     options.configureSession = { configuration in
            ///         configuration.allowsExpensiveNetworkAccess = false
            ///         configuration.allowsConstrainedNetworkAccess = false
            ///     }
            /// #endif
            /// ```
            ///
            /// It is called when a remote is made, with an ephemeral configuration. Afterwards the remote sets the properties that it
            /// depends on: no cache, no cookies, no stored passwords, no additional headers (use ``headers``), no wait for a
            /// connection, and the timeouts ``silence`` and ``exchange``.
            public var configureSession: (@Sendable (URLSessionConfiguration) -> Void)?
        #endif

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
        /// sets, such as `Authorization` or `Content-Type`, a name that differs from another in case only, a line end, more than
        /// ``headerCount`` fields or more than ``headerSize`` bytes are refused.
        public var headers: [String: String]

        /// Makes further header fields for each request, by name: a token of a device check that expires, or the id of a trace. Nil
        /// for none.
        ///
        /// ```swift
        /// var options = HTTPRemote.Options()
        /// options.requestHeaders = { ["X-Request-Id": UUID().uuidString] }
        /// let remote: HTTPRemote = try .http("https://notes.example/v1", token: token, options: options)
        /// ```
        ///
        /// It is called once for each exchange, and for each connection for change notifications, on Swift's thread pool; a request that
        /// is repeated with a renewed token has the same fields. The sync waits until it returns. A field replaces the one of ``headers`` with the same
        /// name; otherwise the same is refused as there. A refused field fails the exchange as ``FailureClass/invalidAnswer``, and
        /// nothing is sent.
        ///
        /// If it throws, nothing is sent, and the exchange fails: with a thrown `RemoteFailure` or `HTTPFailure` as that one, with any
        /// other error as ``FailureClass/offline``, so that it is tried again after a back-off. Credentials belong into the token, see
        /// `HTTPAuth.renewing`: a sync pauses if those are rejected.
        public var requestHeaders: (@concurrent @Sendable () async throws -> [String: String])?

        /// Makes options; the defaults suit a phone.
        public init(
            silence: Duration = .seconds(60), exchange: Duration = .seconds(600), answerLimit: Int = 128 << 20,
            packedFrom: Int? = 1024, certificates: [UInt8]? = nil, pinnedKeys: [String]? = nil,
            headers: [String: String] = [:],
            requestHeaders: (@concurrent @Sendable () async throws -> [String: String])? = nil
        ) {
            self.silence = silence
            self.exchange = exchange
            self.answerLimit = answerLimit
            self.packedFrom = packedFrom
            self.certificates = certificates
            self.pinnedKeys = pinnedKeys
            self.headers = headers
            self.requestHeaders = requestHeaders
        }
    }
}

extension HTTPRemote.Options {
    /// The fixed header fields of each request, in the order of their names.
    package var fields: [(name: String, value: String)] { Self.fields(self.headers) }

    /// Makes the additional header fields of one request.
    func fieldsOfRequest() async throws(RemoteFailure) -> [(name: String, value: String)] {
        guard let requestHeaders = self.requestHeaders else { return self.fields }
        let made: [String: String]
        do {
            made = try await requestHeaders()
        } catch let failure as RemoteFailure {
            throw failure
        } catch let failure as HTTPFailure {
            throw RemoteFailure(failure)
        } catch {
            throw RemoteFailure(
                error is CancellationError ? .cancelled : .offline,
                "The header fields of the request could not be made (HTTPRemote.Options.requestHeaders), and nothing was sent: \(error)"
            )
        }
        let fields = AdditionalFields.merged(self.fields, with: Self.fields(made))
        do throws(HTTPFailure) {
            try Self.check(fields)
        } catch {
            throw RemoteFailure(error)
        }
        return fields
    }

    private static func fields(_ headers: [String: String]) -> [(name: String, value: String)] {
        headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    private static func check(_ fields: [(name: String, value: String)]) throws(HTTPFailure) {
        try AdditionalFields.check(fields, reserving: ["Accept", "Content-Type", "Tidemark-Wire"])
    }

    /// Checks what no remote can be made with.
    func check() throws(TidemarkError) {
        do throws(HTTPFailure) {
            try Self.check(self.fields)
        } catch {
            throw TidemarkError(.invalidHeader, error.message)
        }
        do throws(HTTPFailure) {
            if let certificates = self.certificates { _ = try TrustedCertificates(pem: certificates) }
        } catch {
            throw TidemarkError(.invalidCertificates, error.message)
        }
        do throws(HTTPFailure) {
            if let keys = self.pinnedKeys { _ = try PinnedKeys(keys) }
        } catch {
            throw TidemarkError(.invalidPinnedKeys, error.message)
        }
    }

    var setup: SessionSetup {
        var setup = SessionSetup()
        #if canImport(Darwin)
            setup.configure = self.configureSession
        #endif
        return setup
    }

    var limits: HTTPClient.Limits {
        HTTPClient.Limits(
            silence: self.silence, whole: self.exchange, answerSize: self.answerLimit, packedFrom: self.packedFrom)
    }
}

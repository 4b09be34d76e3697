#if canImport(Darwin)
    import CryptoKit
    import Foundation
    import Security

    extension PinnedKeys {
        /// Whether the certificate of a server has one of these keys. Its trust was evaluated before.
        func contains(keyOf trust: SecTrust) -> Bool {
            guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate], let certificate = chain.first,
                let info = CertificateKey.info(of: Array(SecCertificateCopyData(certificate) as Data))
            else { return false }
            return self.contains(Array(SHA256.hash(data: Data(info))))
        }
    }
#endif

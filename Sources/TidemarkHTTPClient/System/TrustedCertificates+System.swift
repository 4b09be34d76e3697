#if canImport(Darwin)
    import Foundation
    import Security

    extension TrustedCertificates {
        /// Evaluates the certificate of a server with these certificates only; returns why it is not trusted, or nil if it is.
        func fault(of trust: SecTrust) -> String? {
            let anchors = self.base64.compactMap { text in
                Data(base64Encoded: text).flatMap { SecCertificateCreateWithData(nil, $0 as CFData) }
            }
            guard anchors.count == self.base64.count, SecTrustSetAnchorCertificates(trust, anchors as CFArray) == 0,
                SecTrustSetAnchorCertificatesOnly(trust, true) == 0
            else { return "the certificates to trust can't be read" }
            return Self.fault(evaluating: trust)
        }

        /// Evaluates the certificate of a server with the certificates that are set; those of the system if none are.
        static func fault(evaluating trust: SecTrust) -> String? {
            var error: CFError?
            let isTrusted = unsafe SecTrustEvaluateWithError(trust, &error)
            guard !isTrusted else { return nil }
            return error.map { "\($0.localizedDescription)" } ?? "the system does not say why"
        }
    }
#endif

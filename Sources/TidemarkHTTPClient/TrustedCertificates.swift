/// The certificates that sign the one of a server, as PEM (RFC 7468 §5): those of a private authority, or the server's own.
///
/// They replace those of the system: one or the other signed a server, and no other authority can sign for it then.
package struct TrustedCertificates: Hashable, Sendable {
    /// The maximum size of the text, in bytes. A certificate has about 2 KiB.
    package static let sizeLimit = 1 << 20

    /// Each certificate in Base64, as the lines between its first and its last line.
    private let certificates: [[String]]

    /// Reads a text; other lines between and around the certificates are ignored.
    ///
    /// - Throws: ``HTTPFailure/Kind/unsendable`` if it has no certificate, a malformed one, or a private key.
    package init(pem: [UInt8]) throws(HTTPFailure) {
        guard pem.count <= Self.sizeLimit else {
            throw Self.wrong("are larger than \(Self.sizeLimit) bytes. Give only those that sign the server's.")
        }
        var certificates: [[String]] = []
        var current: [String]?
        let lines = pem.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        for line in lines {
            let text = Self.trimmed(line)
            if Self.isKey(text) {
                throw Self.wrong(
                    "contain a private key, which must stay with its owner. Give a file with the certificate alone.")
            } else if text == Self.begin, current == nil {
                current = []
            } else if text == Self.end, let found = current, Self.isCertificate(found) {
                certificates.append(found)
                current = nil
            } else if current != nil {
                guard !text.utf8.starts(with: "-----".utf8) else { throw Self.malformed(certificates.count + 1) }
                current?.append(text)
            }
        }
        guard current == nil else { throw Self.malformed(certificates.count + 1) }
        guard !certificates.isEmpty else {
            throw Self.wrong(
                """
                are not PEM: the line “\(Self.begin)” is missing. To convert a binary certificate: \
                openssl x509 -inform der -in ca.cer -out ca.pem
                """)
        }
        self.certificates = certificates
    }

    /// The certificates as PEM, without any other text.
    package var pem: [UInt8] {
        let lines = self.certificates.flatMap { [Self.begin] + $0 + [Self.end] }
        return Array(lines.map { "\($0)\n" }.joined().utf8)
    }

    var base64: [String] { self.certificates.map { $0.joined() } }

    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    private static func trimmed(_ line: ArraySlice<UInt8>) -> String {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        return String(decoding: line.drop(while: isBlank).reversed().drop(while: isBlank).reversed(), as: UTF8.self)
    }

    /// Whether a line begins a private key, of whatever algorithm.
    private static func isKey(_ line: String) -> Bool {
        line.utf8.starts(with: "-----BEGIN ".utf8)
            && line.utf8.reversed().starts(with: "PRIVATE KEY-----".utf8.reversed())
    }

    /// Whether the lines are Base64 (RFC 4648 §4) of a sequence, as each certificate is (RFC 5280 §4.1). Only the library for TLS
    /// reads more of it.
    private static func isCertificate(_ lines: [String]) -> Bool {
        let text = Array(lines.joined().utf8)
        let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return text.first == UInt8(ascii: "M") && text.count.isMultiple(of: 4) && padding <= 2
            && text.dropLast(padding).allSatisfy(Self.isLetter)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func malformed(_ number: Int) -> HTTPFailure {
        self.wrong("are malformed: certificate \(number) is damaged or cut off. Copy the file again.")
    }

    private static func wrong(_ why: String) -> HTTPFailure {
        HTTPFailure(.unsendable, "The certificates to trust \(why)")
    }
}

import TidemarkHTTPFields

/// The public keys of which a server must have one, each as SHA-256 of its SubjectPublicKeyInfo (RFC 7469 §2.4).
///
/// They come in addition to the certificates that are trusted: a pinned key doesn't make an expired or unknown certificate valid.
package struct PinnedKeys: Hashable, Sendable {
    /// The maximum number of keys: that of the server, and some for later.
    package static let countLimit = 16

    /// The length of a hash in Base64.
    private static let hashLength = 44

    /// Each hash in Base64.
    private let hashes: [String]

    /// Reads keys in the usual spellings: `sha256//…` as curl, `sha256/…`, or the Base64 alone.
    ///
    /// - Throws: ``HTTPFailure/Kind/unsendable`` if there is no key, or too many, or if one is not a SHA-256 in Base64.
    package init(_ texts: [String]) throws(HTTPFailure) {
        guard !texts.isEmpty else {
            throw HTTPFailure(.unsendable, "There is no pinned key. Give at least one, or nil to pin none.")
        }
        guard texts.count <= Self.countLimit else {
            throw HTTPFailure(
                .unsendable,
                "There are \(texts.count) pinned keys, and at most \(Self.countLimit) are used. Give fewer.")
        }
        var hashes: [String] = []
        for text in texts {
            // A hash may begin with a slash itself, so only its length tells where the prefix ends.
            let (prefix, hash) = (text.utf8.dropLast(Self.hashLength), text.utf8.suffix(Self.hashLength))
            guard ["", "sha256/", "sha256//"].contains(where: { prefix.elementsEqual($0.utf8) }), Self.isHash(hash)
            else { throw Self.wrong(text) }
            hashes.append(String(decoding: hash, as: UTF8.self))
        }
        self.hashes = hashes
    }

    /// The keys as libcurl reads them.
    var list: String { self.hashes.map { "sha256//\($0)" }.joined(separator: ";") }

    /// Whether a hash is that of a pinned key.
    func contains(_ hash: [UInt8]) -> Bool { self.hashes.contains(Base64.text(of: hash)) }

    /// Whether a text is the Base64 of 32 bytes: 43 letters, the last of which has two bits that are zero, and one “=”.
    private static func isHash(_ text: Substring.UTF8View) -> Bool {
        text.count == Self.hashLength && text.last == UInt8(ascii: "=")
            && text.dropLast().allSatisfy { Base64.letters.contains($0) }
            && text.dropLast().last.flatMap { Base64.letters.firstIndex(of: $0) }.map { $0.isMultiple(of: 4) } == true
    }

    private static func wrong(_ text: String) -> HTTPFailure {
        HTTPFailure(
            .unsendable,
            """
            “\(text.printable.cut)” is not a pinned key: it is the SHA-256 of a public key, in Base64, with or without “sha256//” \
            before it, and not the fingerprint of a certificate. Of a certificate in PEM: openssl x509 -in FILE -noout -pubkey | \
            openssl pkey -pubin -outform der | openssl dgst -sha256 -binary | openssl base64
            """)
    }
}

extension String {
    /// The beginning of this text, for a message.
    fileprivate var cut: String {
        self.unicodeScalars.count > 100 ? String(self.unicodeScalars.prefix(100)) + "…" : self
    }
}

/// The public key of a certificate, where the system has no function for the bytes that are pinned.
package enum CertificateKey {
    /// Returns the SubjectPublicKeyInfo of a certificate in DER (RFC 5280 §4.1), with its tag and its length; nil if the bytes are
    /// not a certificate.
    package static func info(of certificate: [UInt8]) -> ArraySlice<UInt8>? {
        var whole = Reader(rest: certificate[...])
        guard let outer = whole.next(Tag.sequence) else { return nil }
        var body = Reader(rest: outer.content)
        guard let signed = body.next(Tag.sequence) else { return nil }
        var fields = Reader(rest: signed.content)
        // The version is left out in a certificate of version 1.
        _ = fields.next(Tag.version)
        // Serial number, signature, issuer, validity and subject come before it.
        for tag in [Tag.integer, Tag.sequence, Tag.sequence, Tag.sequence, Tag.sequence] {
            guard fields.next(tag) != nil else { return nil }
        }
        return fields.next(Tag.sequence)?.bytes
    }

    private enum Tag {
        static let integer: UInt8 = 0x02
        static let sequence: UInt8 = 0x30
        static let version: UInt8 = 0xA0
    }

    /// Reads elements one after the other (X.690 §8.1).
    private struct Reader {
        var rest: ArraySlice<UInt8>

        /// Returns the next element if it has a tag, whole and without its head.
        mutating func next(_ tag: UInt8) -> (bytes: ArraySlice<UInt8>, content: ArraySlice<UInt8>)? {
            var after = self.rest
            guard after.popFirst() == tag, let first = after.popFirst() else { return nil }
            var count = Int(first)
            if first >= 0x80 {
                let size = Int(first & 0x7F)
                // Three bytes are 16 MiB; a length without an end (0x80) is not DER.
                guard (1...3).contains(size), after.count >= size else { return nil }
                count = after.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                after = after.dropFirst(size)
            }
            guard after.count >= count else { return nil }
            let content = after.prefix(count)
            let bytes = self.rest[self.rest.startIndex..<content.endIndex]
            self.rest = after.dropFirst(count)
            return (bytes, content)
        }
    }
}

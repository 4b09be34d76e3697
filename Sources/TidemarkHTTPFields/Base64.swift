/// Encodes bytes as Base64 (RFC 4648 §4).
package enum Base64 {
    /// The letters, in the order of their values.
    package static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Returns the text of bytes, padded.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let three = Array(rest.prefix(3))
            let bits = (0..<3).reduce(0) { $0 << 8 | ($1 < three.count ? Int(three[$1]) : 0) }
            for place in 0..<4 {
                text.append(place <= three.count ? Self.letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
            }
            rest = rest.dropFirst(3)
        }
        return String(decoding: text, as: UTF8.self)
    }
}

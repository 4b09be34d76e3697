/// The declared type of a body (`Content-Type`).
package struct MediaType: Hashable, Sendable {
    /// The type without its parameters, in lower case (RFC 9110 §8.3.1); empty if none is declared.
    package let name: String

    /// Reads the value of a field.
    package init(field: String?) {
        let type = (field ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
        self.name = String(decoding: type.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self).lowercased()
    }

    /// Whether a body of this type is a problem document (RFC 9457 §3).
    package var isProblem: Bool { self.name == "application/problem+json" }

    /// Returns whether a body of this type is a web page, as captive portals and wrong URLs return.
    package func isWebPage(_ body: [UInt8]) -> Bool {
        switch self.name {
        case "text/html", "application/xhtml+xml": true
        default: body.first { $0 > 0x20 } == UInt8(ascii: "<")
        }
    }
}

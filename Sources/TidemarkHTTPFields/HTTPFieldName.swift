/// Names of fields, which are compared without regard to the case of ASCII letters (RFC 9110 §5.1).
package enum HTTPFieldName {
    /// Returns whether both name the same field.
    package static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { Self.small($0) == Self.small($1) }
    }

    private static func small(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A") <= byte && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }
}

package import TidemarkCore
import TidemarkMachine

/// The version of the wire (Contract §5): each answer of a server names it, and a server that names none has version 1.
package enum WireVersion {
    /// The header field with the version.
    package static let field = "Tidemark-Wire"

    /// The version of this client.
    package static let own: UInt64 = 1

    /// Throws if a server has a newer version. Its answer may mean something else, whatever its status is.
    package static func check(_ value: String?) throws(RemoteFailure) {
        guard let value, let version = Self.number(value), version > Self.own else { return }
        throw RemoteFailure(
            .invalidAnswer,
            """
            The server speaks version \(value) of the protocol, and this client version \(Self.own). Update the app.
            """, blame: .server)
    }

    /// The number that a field names; nil if it is none.
    private static func number(_ value: String) -> UInt64? {
        guard !value.isEmpty, value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return UInt64(value) ?? .max
    }
}

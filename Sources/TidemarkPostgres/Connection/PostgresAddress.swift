import CPostgres
public import TidemarkServer

/// The address of a database: `postgresql://USER@HOST:PORT/NAME`, as libpq reads it.
///
/// Missing parts come from libpq's sources: `PGHOST`, `PGUSER`, `PGPASSWORD`, a passfile, a service file. A password is never
/// shown, not even if the address is malformed.
///
/// ```swift
/// let address = try PostgresAddress("postgresql://tidemark@db.example/tidemark")
/// ```
public struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address as given, with its password.
    let text: String
    /// True if the address contains a password, which any user of the machine can read in a program's arguments.
    public let hasPassword: Bool
    /// The address without its password.
    public let description: String

    /// Parses an address.
    ///
    /// - Throws: `ServerStorageError` `.cannotOpen`, if the text is not an address of PostgreSQL.
    public init(_ text: String) throws(ServerStorageError) {
        // libpq's message about a malformed address may quote the password, so it is not used.
        guard Self.isAddress(text), let parts = Self.parts(of: text), Self.isSound(parts) else {
            throw ServerStorageError(
                .cannotOpen,
                """
                the address of the database can't be read. It is written postgresql://USER@HOST:PORT/NAME, with %40 for an “@” \
                and %2F for a “/” within a part; a password is best left to PGPASSWORD or a passfile.
                """)
        }
        self.text = text
        self.hasPassword = parts["password"]?.isEmpty == false
        self.description = Self.shown(parts)
    }

    /// Whether a text is an address, as opposed to the name of a file.
    public static func isAddress(_ text: String) -> Bool {
        text.utf8.starts(with: "postgresql://".utf8) || text.utf8.starts(with: "postgres://".utf8)
    }

    private static func parts(of text: String) -> [String: String]? {
        guard let options = unsafe PQconninfoParse(text, nil) else { return nil }
        defer { unsafe PQconninfoFree(options) }
        var parts: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe parts[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        return parts
    }

    /// Whether host and port are plausible: an “@” or “/” without percent-encoding would put a part of the password there.
    private static func isSound(_ parts: [String: String]) -> Bool {
        let (host, port) = (parts["host"] ?? "", parts["port"] ?? "")
        return !host.utf8.contains(UInt8(ascii: "@")) && port.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ",") }
    }

    private static func shown(_ parts: [String: String]) -> String {
        let (host, port, name) = (parts["host"] ?? "", parts["port"] ?? "", parts["dbname"] ?? "")
        let user = parts["user"].map { "\($0)@" } ?? ""
        let place = user + (port.isEmpty ? host : "\(host):\(port)")
        return host.utf8.first == UInt8(ascii: "/")
            ? "postgresql://\(user)/\(name)?host=\(host)\(port.isEmpty ? "" : "&port=\(port)")"
            : "postgresql://\(place)/\(name)"
    }
}

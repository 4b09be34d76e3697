import CPostgres
public import TidemarkServer

/// Where a database is: `postgresql://USER@HOST:PORT/NAME`, as libpq reads it.
///
/// What it leaves out comes from libpq's own places: `PGHOST`, `PGUSER`, `PGPASSWORD`, a passfile, a service file. A
/// password is never shown, not even where the address is wrong.
///
/// ```swift
/// let address = try PostgresAddress("postgresql://tidemark@db.example/tidemark")
/// ```
public struct PostgresAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address as it was given, a password with it.
    let text: String
    /// True where the address brings a password, which anyone on the machine can read among a program's arguments.
    public let hasPassword: Bool
    /// The address without its password.
    public let description: String

    /// Reads an address.
    ///
    /// - Throws: `ServerStorageError` `.cannotOpen`, for what is no address of PostgreSQL.
    public init(_ text: String) throws(ServerStorageError) {
        // What libpq says of a wrong address may quote the password in it, so it isn't asked.
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

    /// Whether a text is meant as an address, and not as the name of a file.
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

    /// Whether host and port are such: an “@” or “/” that was not written with a percent sign puts a part of the password there.
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

import TidemarkPostgres
import TidemarkServer

/// The `--store` of a server: a file, or the address of a database.
enum ServerStore: CustomStringConvertible {
    case file(String)
    case postgres(PostgresAddress)

    init(_ text: String) throws(CommandFailure) {
        guard PostgresAddress.isAddress(text) else {
            self = .file(text)
            return
        }
        do throws(ServerStorageError) {
            self = .postgres(try PostgresAddress(text))
        } catch {
            throw CommandFailure("--store: \(error.message)")
        }
    }

    /// The path of the file; nil for a database.
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// The text for messages, without a password.
    var description: String {
        switch self {
        case .file(let path): path
        case .postgres(let address): address.description
        }
    }

    /// A warning about the address; nil if it is fine.
    var advice: String? {
        guard case .postgres(let address) = self, address.hasPassword else { return nil }
        return "every user of this machine can see a password in an argument; use PGPASSWORD or a passfile (~/.pgpass)"
    }

    /// The change notifications of other processes that write to the database; nil for a file.
    func hints(for core: ServerCore) -> PostgresHints? {
        guard case .postgres(let address) = self else { return nil }
        return PostgresHints(address, for: core)
    }

    /// Opens the storage, and creates it if the use allows that.
    func open(for use: ServerStorageUse) throws -> sending any ServerStorage {
        do throws(ServerStorageError) {
            switch self {
            case .file(let path):
                if let complaint = StoreFile(path).complaint { throw ServerStorageError(.cannotOpen, complaint) }
                do throws(CommandFailure) {
                    try PrivateFile.tighten(store: path)
                } catch {
                    throw ServerStorageError(.cannotOpen, error.description)
                }
                return try SQLiteServerStorage(.file(path), for: use)
            case .postgres(let address):
                return try PostgresServerStorage(address, for: use)
            }
        } catch {
            throw CommandFailure(error.message)
        }
    }
}

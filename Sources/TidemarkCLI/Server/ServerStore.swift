import TidemarkPostgres
import TidemarkServer

/// What `--store` of a server names: a file, or the address of a database.
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

    /// Where the file is; nil for a database.
    var path: String? {
        if case .file(let path) = self { path } else { nil }
    }

    /// As it is shown: without a password.
    var description: String {
        switch self {
        case .file(let path): path
        case .postgres(let address): address.description
        }
    }

    /// What is better done otherwise.
    var advice: String? {
        guard case .postgres(let address) = self, address.hasPassword else { return nil }
        return "a password in an argument is seen by all on this machine; PGPASSWORD or a passfile (~/.pgpass) keeps it"
    }

    /// What brings the hints of the other processes that write to it; nil where there can be none.
    func hints(for core: ServerCore) -> PostgresHints? {
        guard case .postgres(let address) = self else { return nil }
        return PostgresHints(address, for: core)
    }

    /// Opens it, and makes what is missing as far as the use has it so.
    func open(for use: ServerStorageUse) throws -> sending any ServerStorage {
        do throws(ServerStorageError) {
            switch self {
            case .file(let path):
                if let complaint = StoreFile(path).complaint { throw ServerStorageError(.cannotOpen, complaint) }
                return try SQLiteServerStorage(.file(path), for: use)
            case .postgres(let address):
                return try PostgresServerStorage(address, for: use)
            }
        } catch {
            throw CommandFailure(error.message)
        }
    }
}

import TidemarkServer

/// What `--store` of a server names.
enum ServerStore: CustomStringConvertible {
    case file(String)

    init(_ text: String) throws(CommandFailure) {
        self = .file(text)
    }

    /// Where the file is; nil for a database.
    var path: String? {
        switch self {
        case .file(let path): path
        }
    }

    /// As it is shown.
    var description: String {
        switch self {
        case .file(let path): path
        }
    }

    /// Opens it, and makes what is missing.
    func open() throws -> sending any ServerStorage {
        do throws(ServerStorageError) {
            switch self {
            case .file(let path):
                if let complaint = StoreFile(path).complaint { throw ServerStorageError(.cannotOpen, complaint) }
                return try SQLiteServerStorage(.file(path))
            }
        } catch {
            throw CommandFailure(error.message)
        }
    }
}

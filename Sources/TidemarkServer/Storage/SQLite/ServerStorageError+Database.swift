package import TidemarkDatabase

extension ServerStorageError: DatabaseErrorConvertible {
    package init(_ error: DatabaseError) {
        let code: Code =
            switch error.code {
            case .busy: .busy
            case .cannotOpen: .cannotOpen
            case .readOnly: .readOnly
            case .notADatabase, .foreignDatabase: .notAServerStore
            case .newerVersion: .newerVersion
            case SQLiteServerSchema.olderVersion: .olderVersion
            case .corrupt, .unexpectedValue: .corrupt
            case .full: .full
            default: .failed
            }
        self.init(code, error.message)
    }
}

/// Converts a failure of the database to an error of the port.
func translating<Outcome>(
    _ work: () throws(DatabaseError) -> Outcome
) throws(ServerStorageError) -> Outcome {
    do throws(DatabaseError) {
        return try work()
    } catch {
        throw ServerStorageError(error)
    }
}

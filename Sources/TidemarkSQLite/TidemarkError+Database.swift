import TidemarkCore
package import TidemarkDatabase
import TidemarkRules

extension TidemarkError {
    /// Converts a failure of the database to an error of the store.
    package init(_ error: DatabaseError) {
        self.init(Code(error.code), error.message, cause: error)
    }

    /// Converts the reason why a store can't be opened: the other owner is a client, not a database connection.
    ///
    /// - Parameter place: The program of that client, if the store is busy.
    init(opening location: DatabaseLocation, _ error: DatabaseError, openIn place: String) {
        self.init(error)
        guard error.code == .busy else { return }
        self.message = """
            \(location.path): the file is open in \(place). Close it there and try again; within one \
            program, share one client.
            """
    }
}

extension TidemarkError.Code {
    /// Codes of the database are an open set; an unknown one means that the store can't be used.
    fileprivate init(_ code: DatabaseError.Code) {
        switch code {
        case .busy: self = .storeBusy
        case .full: self = .storeFull
        case .corrupt, .unexpectedValue: self = .storeCorrupt
        case .notADatabase, .foreignDatabase: self = .notAStore
        case .newerVersion: self = .storeNewer
        case .readOnly: self = .storeReadOnly
        case .tooLarge: self = .invalidContent
        default: self = .storeUnavailable
        }
    }
}

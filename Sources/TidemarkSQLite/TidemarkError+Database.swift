import TidemarkCore
package import TidemarkDatabase
import TidemarkRules

extension TidemarkError {
    /// Puts a failure of the database into words of the store.
    package init(_ error: DatabaseError) {
        self.init(Code(error.code), error.message, cause: error)
    }

    /// Puts why a store can't be opened into words of the store: who else has it is a client, not a database connection.
    ///
    /// - Parameter place: In which program that client is, if the store is busy.
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
    /// Codes of the database are open, so what is not known here is a store that can't be used.
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

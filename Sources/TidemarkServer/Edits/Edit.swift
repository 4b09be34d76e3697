import TidemarkJSON

/// One EDIT of a POST, understood (SPEC §5).
struct Edit {
    /// What the client did to the record.
    enum Change {
        /// Made it, as the one operation of its patch says.
        case created(JSONPatch)
        /// Changed it by a patch.
        case edited(JSONPatch)
        /// Deleted it.
        case deleted
    }

    /// Which version of the row the client knew.
    enum Version {
        /// None: to the client the record is new.
        case unnamed
        /// This one; a number that the server never gave out is simply not the row's.
        case named(JSONNumber)

        func isNamed(_ version: Int64) -> Bool {
            switch self {
            case .unnamed: false
            case .named(let number): number == JSONNumber(Int(version))
            }
        }
    }

    var requestID: String
    var pk: String
    var change: Change
    var version: Version
}

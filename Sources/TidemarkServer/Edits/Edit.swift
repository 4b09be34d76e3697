import TidemarkJSON

/// One EDIT of a POST, parsed (Contract §5).
struct Edit {
    /// The change of the record.
    enum Change {
        /// Creates it with the one operation of its patch.
        case created(JSONPatch)
        /// Applies a patch.
        case edited(JSONPatch)
        /// Deletes it.
        case deleted
    }

    /// The version of the row that the client edited.
    enum Version {
        /// None: the record is new to the client.
        case unnamed
        /// The given version; a number that the server never assigned differs from the row's.
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

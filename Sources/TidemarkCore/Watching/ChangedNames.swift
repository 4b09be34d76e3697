package import TidemarkJSON

/// The names of the records that changed since the last read, bounded in size: beyond a limit it is `all`.
///
/// A reader reads the present records, so a record that changed ten times is kept once.
package enum ChangedNames: Equatable, Sendable {
    /// The records with these names; the set may be empty.
    case some(Set<CodePointString>)

    /// More than are kept, or all at once.
    case all

    /// The maximum number of names.
    package static let limit = CollectionChange.limit

    /// Adds a name.
    package mutating func insert(_ name: CodePointString) {
        guard case .some(var names) = self else { return }
        // Taken out of the enum first, so that the set is changed in place.
        self = .all
        guard names.contains(name) || names.count < Self.limit else { return }
        names.insert(name)
        self = .some(names)
    }
}

package import TidemarkJSON

/// The names of what changed since someone looked last, in bounded room: past a limit it is all there is.
///
/// Whoever looks reads what is there now, so the newest wins: that a record changed ten times meanwhile is kept once.
package enum ChangedNames: Equatable, Sendable {
    /// These; maybe none.
    case some(Set<CodePointString>)

    /// More than were kept, or all at once.
    case all

    /// How many names are kept.
    package static let limit = CollectionChange.limit

    /// Adds a name.
    package mutating func insert(_ name: CodePointString) {
        guard case .some(var names) = self else { return }
        // Taken out of the enum, so that the set is changed in place.
        self = .all
        guard names.contains(name) || names.count < Self.limit else { return }
        names.insert(name)
        self = .some(names)
    }
}

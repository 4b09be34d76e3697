/// The actions of the client after a transition: names only, in one fixed order.
///
/// A set instead of a list, because the order never varies; it is the order of the cases. For a record: the discarded values
/// are journalled, the record is saved or erased in the same transaction, and only then the app is notified. A set is also one
/// integer, so a transition allocates nothing (Contract §9).
///
/// Each action has a static member with its name, so that the compiler makes one constant of a literal such as `[.save,
/// .notify]`. A literal of cases would be built anew at each transition.
public struct ActionSet<Action: CaseIterable & RawRepresentable<UInt32>>: OptionSet, Hashable, Sendable {
    /// One bit for each action.
    public let rawValue: UInt32

    /// Makes a set from its bits.
    @inlinable public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Makes a set of one action.
    @inlinable public init(_ action: Action) {
        self.init(rawValue: 1 &<< action.rawValue)
    }

    /// Returns whether an action is in the set.
    @inlinable public func has(_ action: Action) -> Bool {
        self.contains(Self(action))
    }
}

extension ActionSet: CustomStringConvertible {
    /// The names, in the order in which they are carried out.
    public var description: String {
        Action.allCases.filter { self.has($0) }.map { "\($0)" }.joined(separator: ", ")
    }
}

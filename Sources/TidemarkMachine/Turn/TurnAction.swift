/// One thing that the client has to do after a transition of its turn.
package enum TurnAction: UInt32, CaseIterable, Hashable, Sendable {
    /// Close the file, and end the requests that are under way: their edits are unconfirmed from now on (R17).
    case release

    /// Open the store again soon, if anything in this process follows it: a list, a sync, the run loop.
    case comeBack

    /// Read everything again: another client may have changed any record.
    case refresh

    /// Every action, in the order in which they are carried out.
    package static let inOrder = Self.allCases
}

/// The actions of a client after a transition of its turn.
package typealias TurnActions = ActionSet<TurnAction>

extension TurnActions {
    package static var release: Self { Self(.release) }
    package static var comeBack: Self { Self(.comeBack) }
    package static var refresh: Self { Self(.refresh) }
}

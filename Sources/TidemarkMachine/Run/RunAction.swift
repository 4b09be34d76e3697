/// One thing that the loop has to do after a transition.
package enum RunAction: UInt32, CaseIterable, Hashable, Sendable {
    /// Start a sync of the collection.
    case sync

    /// Cancel the sync that the loop has started.
    case cancel

    /// Set the alarm to ``RunMachine/alarm``, or off where that is nil.
    case wake

    /// Say how the collection stands: a person sees a difference.
    case say

    /// Every action, in the order in which they are carried out.
    package static let inOrder = Self.allCases
}

/// What the loop has to do after a transition.
package typealias RunActions = ActionSet<RunAction>

extension RunActions {
    package static var sync: Self { Self(.sync) }
    package static var cancel: Self { Self(.cancel) }
    package static var wake: Self { Self(.wake) }
    package static var say: Self { Self(.say) }
}
